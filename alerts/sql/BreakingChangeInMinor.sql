-- Findings on releases that break calls without a new major version, notes on versions 0.x left out; the value is how many.
SELECT CAST(f.server AS String) AS server, CAST(f.tool AS String) AS tool, toFloat64(count()) AS value
FROM findings_now AS f
WHERE f.rule = 'breaking_in_minor' AND f.severity != 'info' AND f.state IN ('open', 'acknowledged') AND $__timeFilter(f.last_seen)
GROUP BY server, tool
ORDER BY server, tool
