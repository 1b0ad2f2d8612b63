-- Events that were refused, by the subject that they came on.
SELECT CAST(l.subject AS String) AS subject, toFloat64(count()) AS value
FROM dead_letters AS l
WHERE $__timeFilter(l.time)
GROUP BY subject
ORDER BY subject
