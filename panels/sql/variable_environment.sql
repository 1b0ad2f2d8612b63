-- The environments that calls and requests came from.
SELECT value
FROM
(
    SELECT DISTINCT toString(c.environment) AS value FROM tool_calls AS c WHERE $__timeFilter(c.time)
    UNION DISTINCT
    SELECT DISTINCT toString(v.environment) AS value FROM request_verdicts AS v WHERE $__timeFilter(v.time)
)
WHERE value != ''
ORDER BY value
LIMIT 1000
