-- Findings on schemas that changed under one version, notes left out; the value is how many.
SELECT CAST(f.server AS String) AS server, CAST(f.tool AS String) AS tool, toFloat64(count()) AS value
FROM findings_now AS f
WHERE f.rule IN ('change_without_version', 'rug_pull') AND f.severity != 'info' AND f.state IN ('open', 'acknowledged') AND $__timeFilter(f.last_seen)
GROUP BY server, tool
ORDER BY server, tool
