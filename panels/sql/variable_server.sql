-- The servers whose tools were called.
SELECT DISTINCT toString(c.server) AS value
FROM tool_calls AS c
WHERE $__timeFilter(c.time) AND c.server != ''
ORDER BY value
LIMIT 1000
