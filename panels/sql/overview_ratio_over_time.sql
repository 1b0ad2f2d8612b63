-- The drift ratio of all calls.
SELECT $__timeInterval(c.time) AS time, countIf({drifted}) / count() AS ratio
FROM tool_calls AS c
WHERE $__timeFilter(c.time) AND {scope of calls}
GROUP BY time
ORDER BY time
