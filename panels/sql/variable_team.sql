-- The teams that events came from.
SELECT value
FROM
(
    SELECT DISTINCT toString(team) AS value FROM tool_calls WHERE $__timeFilter(time)
    UNION DISTINCT
    SELECT DISTINCT toString(team) AS value FROM request_verdicts WHERE $__timeFilter(time)
)
WHERE value != ''
ORDER BY value
LIMIT 1000
