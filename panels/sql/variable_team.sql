-- The teams that calls and requests came from.
SELECT value
FROM
(
    SELECT DISTINCT toString(c.team) AS value FROM tool_calls AS c WHERE $__timeFilter(c.time)
    UNION DISTINCT
    SELECT DISTINCT toString(v.team) AS value FROM request_verdicts AS v WHERE $__timeFilter(v.time)
)
WHERE value != ''
ORDER BY value
LIMIT 1000
