-- Calls by how they ended.
SELECT $__timeInterval(c.time) AS time, toString(c.outcome) AS series, count() AS calls
FROM tool_calls AS c
WHERE $__timeFilter(c.time) AND {scope of calls}
GROUP BY time, c.outcome
ORDER BY time, series
