-- Events that were refused, by the subject that they came on.
SELECT toString(l.subject) AS subject, toFloat64(count()) AS value
FROM dead_letters AS l
WHERE $__timeFilter(l.time)
GROUP BY subject
ORDER BY subject
