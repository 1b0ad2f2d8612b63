-- Calls of names that no tool has or that were guesses, by agent and name, and the agents' tools that were offered once and not in any list of
-- the agent's later on: the name may be one of those, or like one of those. An agent without a name is the source of its events.
WITH
    fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi,
    wrong AS
    (
        SELECT
            toString(if(agent_name = '', source, agent_name)) AS agent,
            toString({called}) AS name,
            toString(resolution) AS rule, toString(resolution_how) AS how,
            count() AS calls, toUInt64(sum(ifNull(input_tokens, 0) + ifNull(output_tokens, 0))) AS tokens,
            uniqIf(piece_hash, piece_hash != 0) AS conversations, max(time) AS latest
        FROM
        (
            SELECT agent_name, source, tool_name, resolved_name, bridge, bridged_name, resolution, resolution_how, input_tokens, output_tokens, piece_hash, time
            FROM tool_calls
            WHERE time >= lo AND time < hi AND resolution IN ('unknown', 'guessed')
            UNION ALL
            SELECT agent_name, source, tool_name, resolved_name, bridge, bridged_name, resolution, resolution_how, input_tokens, output_tokens, piece_hash, time
            FROM judged_calls FINAL
            WHERE time >= lo AND time < hi AND resolution IN ('unknown', 'guessed')
        )
        GROUP BY agent, name, rule, how
    ),
    offered AS
    (
        SELECT agent, name, max(at) AS last
        FROM
        (
            SELECT
                toString(if(agent_name = '', source, agent_name)) AS agent, time AS at,
                arrayJoin(arrayMap(x -> toString(x), `tools.name`)) AS name
            FROM tool_rosters
            WHERE time < hi AND server = ''
        )
        WHERE agent GLOBAL IN (SELECT agent FROM wrong)
        GROUP BY agent, name
    )
SELECT agent, name, rule, how, calls, tokens, conversations, toUnixTimestamp64Micro(at) AS seen
FROM
(
    SELECT agent, name, rule, how, calls, tokens, conversations, latest AS at FROM wrong ORDER BY calls DESC, agent, name LIMIT ?
    UNION ALL
    SELECT agent, name, '' AS rule, '' AS how, toUInt64(0) AS calls, toUInt64(0) AS tokens, toUInt64(0) AS conversations, last AS at
    FROM
    (
        SELECT agent, name, last, max(last) OVER (PARTITION BY agent) AS newest FROM offered
    )
    WHERE last < newest
    ORDER BY agent, name
    LIMIT ?
)
ORDER BY agent, rule, how, name
