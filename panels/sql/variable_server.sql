-- The servers whose tools were called.
SELECT DISTINCT toString(server) AS value
FROM tool_calls
WHERE $__timeFilter(time) AND server != ''
ORDER BY value
LIMIT 1000
