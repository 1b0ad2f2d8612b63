-- The share of all calls of a tool that was not loaded yet, where there are five or more.
SELECT countIf(c.resolution IN ('not_activated')) / count() AS value
FROM tool_calls AS c
WHERE $__timeFilter(c.time)
HAVING countIf(c.resolution IN ('not_activated')) >= 5
