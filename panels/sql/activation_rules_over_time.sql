-- Calls whose name was wrong, by rule.
SELECT $__timeInterval(c.time) AS time, toString(c.resolution) AS series, count() AS calls
FROM tool_calls AS c
WHERE $__timeFilter(c.time) AND c.resolution NOT IN ('', 'ok') AND {scope of calls}
GROUP BY time, c.resolution
ORDER BY time, series
