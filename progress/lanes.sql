-- The lanes of a kind of events, and the stream sequence that each is stored up to. The projection lane_position answers.
SELECT '{table}' AS source, toString(lane) AS name, max(seq) AS last FROM {table} GROUP BY lane
