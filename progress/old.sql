-- The last stream sequence of a lane that was stored so many seconds before the newest.
SELECT max(seq) AS last
FROM {table}
WHERE lane = ? AND ingested_at < (SELECT max(ingested_at) FROM {table} WHERE lane = ?) - toIntervalSecond(?)
