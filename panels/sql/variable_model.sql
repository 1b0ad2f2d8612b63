-- The models that called tools or answered requests.
SELECT value
FROM
(
    SELECT DISTINCT toString(c.request_model) AS value FROM tool_calls AS c WHERE $__timeFilter(c.time)
    UNION DISTINCT
    SELECT DISTINCT toString(v.request_model) AS value FROM request_verdicts AS v WHERE $__timeFilter(v.time)
)
WHERE value != ''
ORDER BY value
LIMIT 1000
