-- The tools that are disabled or probing, by the last that is known of each switch; the value is how many switches. Those are left out whose finding
-- is muted, or was resolved since.
SELECT server, tool, toFloat64(count()) AS value
FROM
(
    SELECT
        CAST(any(t.server) AS String) AS server, CAST(any(t.tool) AS String) AS tool, CAST(any(t.agent) AS String) AS agent,
        argMax((toString(t.action), toString(t.version), t.document), (toUInt64OrZero(toString(t.epoch)), t.revision)) AS last,
        last.1 AS state, last.2 AS version, JSONExtractString(last.3, 'by') AS by,
        parseDateTime64BestEffortOrZero(JSONExtractString(last.3, 'since'), 6, 'UTC') AS since
    FROM tool_changes AS t FINAL
    WHERE t.bucket = 'tooltrail_breaker' AND t.at < $__toTime
    GROUP BY t.key
) AS s
GLOBAL LEFT JOIN
(
    SELECT
        CAST(f.server AS String) AS of_server, CAST(f.tool AS String) AS of_tool, CAST(f.agent AS String) AS of_agent, CAST(f.release AS String) AS of_version,
        countIf(f.state = 'muted') > 0 AS muted, max(f.state_since) AS resolved
    FROM findings_now AS f
    WHERE f.rule = 'tool_disabled' AND f.state IN ('muted', 'resolved')
    GROUP BY of_server, of_tool, of_agent, of_version
) AS q ON q.of_server = s.server AND q.of_tool = s.tool AND q.of_agent = s.agent AND q.of_version = s.version
WHERE state NOT IN ('enabled', 'deleted') AND NOT (by = 'breaker' AND (muted OR resolved > since))
GROUP BY server, tool
ORDER BY server, tool
