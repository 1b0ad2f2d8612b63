-- The tools that were called, the most called first.
SELECT value
FROM
(
    SELECT toString(if(resolved_name = '', tool_name, resolved_name)) AS value, sum(n) AS calls
    FROM
    (
        SELECT c.resolved_name AS resolved_name, c.tool_name AS tool_name, count() AS n
        FROM tool_calls AS c
        WHERE $__timeFilter(c.time) AND $__conditionalAll(c.server = decodeURLComponent('${server:percentencode}'), $server)
        GROUP BY c.resolved_name, c.tool_name
    )
    GROUP BY value
)
ORDER BY calls DESC, value
LIMIT 1000
