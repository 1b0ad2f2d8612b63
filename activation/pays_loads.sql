-- What was loaded, by agent: conversations, tools loaded in them, those whose definition is known, its bytes; and the round trips of the model
-- that asked for tools, with their tokens.
WITH
    fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT
    agent, uniqExact(conversation) AS conversations, sum(n) AS loads, sum(n_told) AS told, toUInt64(sum(bytes)) AS loaded_bytes,
    sum(n_trips) AS trips, toUInt64(sum(trip_tokens)) AS tokens
FROM
(
    SELECT agent, conversation, count() AS n, countIf(size > 0) AS n_told, sum(size) AS bytes, 0 AS n_trips, 0 AS trip_tokens
    FROM
    (
        SELECT DISTINCT toString(agent_name) AS agent, conversation_id AS conversation, arrayJoin(arrayMap(x -> toString(x), loaded)) AS name
        FROM activations
        WHERE time >= lo AND time < hi
    ) AS loads
    LEFT JOIN
    (
        SELECT toString(tool_name) AS of_tool, max(length(definition)) AS size FROM tool_definitions WHERE time < hi GROUP BY of_tool
    ) AS sizes ON loads.name = sizes.of_tool
    GROUP BY agent, conversation
    UNION ALL
    SELECT
        toString(agent_name) AS agent, conversation_id AS conversation, 0 AS n, 0 AS n_told, 0 AS bytes,
        uniqExactIf(turn, turn > 0) + countIf(turn = 0) AS n_trips,
        sum(ifNull(input_tokens, 0) + ifNull(output_tokens, 0)) AS trip_tokens
    FROM activations
    WHERE time >= lo AND time < hi AND via IN ('activation_tool', 'tool_search')
    GROUP BY agent, conversation
)
GROUP BY agent
ORDER BY agent
