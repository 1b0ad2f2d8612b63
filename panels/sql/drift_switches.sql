-- Who or what changed tools and their switches, when and why.
SELECT
    t.at AS at, toString(t.server) AS server, toString(t.tool) AS tool, toString(t.agent) AS agent,
    if(t.bucket = 'tooltrail_breaker', 'switch', 'registry') AS of, toString(t.action) AS action, toString(t.version) AS version,
    toString(t.changed_by) AS changed_by, t.reason AS reason
FROM tool_changes AS t FINAL
WHERE $__timeFilter(t.at) AND {scope of changes}
ORDER BY at DESC, t.epoch DESC, t.revision DESC
LIMIT 200
