-- How late events are stored, in seconds: 99 of 100 of those of the time range are faster. Events of long ago are left out, as of an imported file.
SELECT ifNull(quantileTDigest(0.99)(greatest(dateDiff('second', c.time, c.ingested_at), 0)), 0) AS value
FROM tool_calls AS c
WHERE $__timeFilter(c.ingested_at) AND c.time > c.ingested_at - INTERVAL 1 HOUR
HAVING count() > 0
