-- The models that called tools or answered requests.
SELECT value
FROM
(
    SELECT DISTINCT toString(request_model) AS value FROM tool_calls WHERE $__timeFilter(time)
    UNION DISTINCT
    SELECT DISTINCT toString(request_model) AS value FROM request_verdicts WHERE $__timeFilter(time)
)
WHERE value != ''
ORDER BY value
LIMIT 1000
