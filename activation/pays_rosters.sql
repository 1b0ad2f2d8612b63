-- What the lists of agents with tools to be loaded on demand come to, by agent: the mean over the lists seen, of the text and of the definitions
-- of all tools, in bytes. Where the length of a text was not said, it is that of names and summaries. told says how many of the tools have a
-- definition that is known.
WITH
    fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi,
    lists AS
    (
        SELECT
            toString(agent_name) AS agent, roster_digest, count() AS times,
            any(text_length) AS said,
            arrayZip(
                arrayMap(x -> toString(x), any(`tools.name`)), any(`tools.definition_digest`), any(`tools.summary_length`),
                any(`tools.deferred`)) AS offered
        FROM tool_rosters
        WHERE time >= lo AND time < hi AND server = ''
        GROUP BY agent, roster_digest
        HAVING arrayExists(x -> x.4, offered)
    )
SELECT
    agent,
    sum(times) AS n_lists,
    sum(n * times) / n_lists AS n_tools,
    sum(n_told * times) / n_lists AS n_tools_told,
    sum(if(said > 0, said, listed) * times) / n_lists AS roster_bytes,
    sum(shown * times) / n_lists AS shown_bytes,
    sum(definitions * times) / n_lists AS all_bytes
FROM
(
    SELECT
        agent, roster_digest, any(times) AS times, any(said) AS said,
        count() AS n, countIf(size > 0) AS n_told,
        sumIf(length(tool.1) + tool.3, tool.4) AS listed,
        sumIf(size, NOT tool.4) AS shown,
        sum(size) AS definitions
    FROM lists
    ARRAY JOIN offered AS tool
    LEFT JOIN
    (
        SELECT definition_digest AS digest, max(length(definition)) AS size FROM tool_definitions WHERE time < hi GROUP BY digest
    ) AS sizes ON tool.2 = sizes.digest
    GROUP BY agent, roster_digest
)
GROUP BY agent
ORDER BY agent
