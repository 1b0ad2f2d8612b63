-- The tools that the breaker has disabled or is probing: the last that is known of each switch, whenever that was.
SELECT server, tool, agent, state, since, changed_by, reason
FROM
(
    SELECT
        toString(any(t.server)) AS server, toString(any(t.tool)) AS tool, toString(any(t.agent)) AS agent,
        toString(argMax(t.action, (toUInt64OrZero(toString(t.epoch)), t.revision))) AS state, argMax(t.at, (toUInt64OrZero(toString(t.epoch)), t.revision)) AS since,
        toString(argMax(t.changed_by, (toUInt64OrZero(toString(t.epoch)), t.revision))) AS changed_by,
        argMax(t.reason, (toUInt64OrZero(toString(t.epoch)), t.revision)) AS reason
    FROM tool_changes AS t FINAL
    WHERE t.bucket = 'tooltrail_breaker' AND {scope of changes}
    GROUP BY t.key
)
WHERE state NOT IN ('enabled', 'deleted')
ORDER BY since DESC, server, tool, agent
LIMIT 100
