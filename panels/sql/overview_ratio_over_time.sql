-- The drift ratio of all calls; not known where none was held against a schema.
SELECT $__timeInterval(c.time) AS time, if(countIf({unjudged}) = count(), NULL, countIf({drifted}) / count()) AS ratio
FROM tool_calls AS c
WHERE $__timeFilter(c.time) AND {scope of calls}
GROUP BY time
ORDER BY time
