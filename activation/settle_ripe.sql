-- The last stream sequence of a lane of calls, behind one, that was stored up to a moment.
SELECT max(seq) AS last
FROM tool_calls
WHERE lane = ? AND seq > ? AND ingested_at <= fromUnixTimestamp64Milli(toInt64(?), 'UTC')
