-- Events that were refused, by reason.
SELECT $__timeInterval(l.time) AS time, toString(l.reason) AS series, count() AS letters
FROM dead_letters AS l
WHERE $__timeFilter(l.time)
GROUP BY time, l.reason
ORDER BY time, series
