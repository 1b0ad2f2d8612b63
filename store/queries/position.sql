-- The aggregate projection lane_position answers this with a row a part.
SELECT max(seq) AS seq, max(ingested_at) AS at
FROM {table}
WHERE lane = ?
GROUP BY lane
