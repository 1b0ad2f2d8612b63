-- Events that were refused.
SELECT count() AS letters
FROM dead_letters AS l
WHERE $__timeFilter(l.time)
