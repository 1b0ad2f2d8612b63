-- The tools that were called, the most called first.
SELECT value
FROM
(
    SELECT toString({tool}) AS value, sum(n) AS calls
    FROM
    (
        SELECT resolved_name, tool_name, count() AS n
        FROM tool_calls
        WHERE $__timeFilter(time) AND $__conditionalAll(server = decodeURLComponent('${server:percentencode}'), $server)
        GROUP BY resolved_name, tool_name
    )
    GROUP BY value
    ORDER BY calls DESC, value
    LIMIT 1000
)
