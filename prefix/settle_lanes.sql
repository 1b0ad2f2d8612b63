-- The lanes of the events that verdicts rest on, and the stream sequence that each is stored up to. The projections lane_position answer.
SELECT 'request_prefixes' AS source, toString(lane) AS name, max(seq) AS last FROM request_prefixes GROUP BY lane
UNION ALL
SELECT 'activations', toString(lane), max(seq) FROM activations GROUP BY lane
UNION ALL
SELECT 'tool_rosters', toString(lane), max(seq) FROM tool_rosters GROUP BY lane
UNION ALL
SELECT 'tool_definitions', toString(lane), max(seq) FROM tool_definitions GROUP BY lane
