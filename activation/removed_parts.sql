-- Who called tools that were removed: all calls (part 0), by agent (1), by model (2) and by conversation (3). The calls are told by the agents, names,
-- resolutions and manners, one of each a name, that removed_calls.sql gave. keys is how many there are of a part; the rows are cut at a limit, the
-- largest first. An agent without a name is the source of its events.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT part, '' AS rule, key, provider, times, input, output, latest, count() OVER (PARTITION BY part) AS keys
FROM
(
    SELECT
        part,
        multiIf(part = 0, 'all', part = 1, agent, part = 2, model, conversation) AS key,
        if(part = 2, of_provider, '') AS provider,
        count() AS times, toUInt64(sum(t_in)) AS input, toUInt64(sum(t_out)) AS output,
        toUnixTimestamp64Micro(max(at)) AS latest
    FROM
    (
        SELECT
            toString(if(agent_name = '', source, agent_name)) AS agent,
            toString({called}) AS name,
            toString(resolution) AS of_rule, toString(resolution_how) AS of_how,
            toString(provider_name) AS of_provider, toString(request_model) AS model, conversation_id AS conversation,
            ifNull(input_tokens, 0) AS t_in, ifNull(output_tokens, 0) AS t_out, time AS at
        FROM
        (
            SELECT
                agent_name, source, tool_name, resolved_name, bridge, bridged_name, resolution, resolution_how, provider_name, request_model,
                conversation_id, input_tokens, output_tokens, time
            FROM tool_calls
            WHERE time >= lo AND time < hi AND resolution IN ('unknown', 'guessed')
            UNION ALL
            SELECT
                agent_name, source, tool_name, resolved_name, bridge, bridged_name, resolution, resolution_how, provider_name, request_model,
                conversation_id, input_tokens, output_tokens, time
            FROM judged_calls FINAL
            WHERE time >= lo AND time < hi AND resolution IN ('unknown', 'guessed')
        )
        WHERE (agent, name, of_rule, of_how) IN
        (
            SELECT a, n, r, h
            FROM system.one
            ARRAY JOIN
                CAST(? AS Array(String)) AS a, CAST(? AS Array(String)) AS n, CAST(? AS Array(String)) AS r, CAST(? AS Array(String)) AS h
        )
    )
    ARRAY JOIN [0, 1, 2, 3] AS part
    GROUP BY part, key, provider
)
WHERE key != ''
ORDER BY part, times DESC, input + output DESC, key, provider
LIMIT ? BY part
