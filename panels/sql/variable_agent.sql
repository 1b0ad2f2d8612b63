-- The agents that called tools or made requests.
SELECT value
FROM
(
    SELECT DISTINCT toString(c.agent_name) AS value FROM tool_calls AS c WHERE $__timeFilter(c.time)
    UNION DISTINCT
    SELECT DISTINCT toString(v.agent_name) AS value FROM request_verdicts AS v WHERE $__timeFilter(v.time)
)
WHERE value != ''
ORDER BY value
LIMIT 1000
