-- Drifted calls by how they drifted.
SELECT $__timeInterval(c.time) AS time, if({drifted} AND c.drift_class IN ('', 'unregistered'), 'validation_error', toString(c.drift_class)) AS series, count() AS calls
FROM tool_calls AS c
WHERE $__timeFilter(c.time) AND {drifted} AND {scope of calls}
GROUP BY time, series
ORDER BY time, series
