-- The tools that are disabled or probing, by the last that is known of each switch; the value is how many switches.
SELECT server, tool, toFloat64(count()) AS value
FROM
(
    SELECT
        CAST(any(t.server) AS String) AS server, CAST(any(t.tool) AS String) AS tool,
        toString(argMax(t.action, (toUInt64OrZero(toString(t.epoch)), t.revision))) AS state
    FROM tool_changes AS t FINAL
    WHERE t.bucket = 'tooltrail_breaker' AND t.at < $__toTime
    GROUP BY t.key
)
WHERE state NOT IN ('enabled', 'deleted')
    AND (server, tool) NOT IN (SELECT toString(f.server), toString(f.tool) FROM findings_now AS f WHERE f.rule = 'tool_disabled' AND f.state = 'muted')
GROUP BY server, tool
ORDER BY server, tool
