-- The agents that called tools or made requests.
SELECT value
FROM
(
    SELECT DISTINCT toString(agent_name) AS value FROM tool_calls WHERE $__timeFilter(time)
    UNION DISTINCT
    SELECT DISTINCT toString(agent_name) AS value FROM request_verdicts WHERE $__timeFilter(time)
)
WHERE value != ''
ORDER BY value
LIMIT 1000
