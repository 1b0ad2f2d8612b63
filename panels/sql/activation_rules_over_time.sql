-- Calls whose name was wrong, by rule.
SELECT $__timeInterval(w.time) AS time, toString(w.resolution) AS series, count() AS calls
FROM {calls of wrong names} AS w
GROUP BY time, w.resolution
ORDER BY time, series
