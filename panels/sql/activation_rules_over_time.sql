-- Calls whose name was not simply right, by rule.
SELECT $__timeInterval(time) AS time, toString(resolution) AS series, count() AS calls
FROM tool_calls
WHERE $__timeFilter(time) AND resolution NOT IN ('', 'ok') AND {scope of calls}
GROUP BY time, series
ORDER BY time, series
