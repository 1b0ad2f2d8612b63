-- The lanes of calls and of what they are judged by, and the stream sequence that each is stored up to. The projections lane_position answer.
SELECT 'tool_calls' AS source, toString(lane) AS name, max(seq) AS last FROM tool_calls GROUP BY lane
UNION ALL
SELECT 'activations', toString(lane), max(seq) FROM activations GROUP BY lane
UNION ALL
SELECT 'tool_rosters', toString(lane), max(seq) FROM tool_rosters GROUP BY lane
UNION ALL
SELECT 'request_prefixes', toString(lane), max(seq) FROM request_prefixes GROUP BY lane
