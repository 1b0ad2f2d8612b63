-- Findings on releases that changed many of a server's tools; the value is the share.
SELECT CAST(f.server AS String) AS server, max(f.numbers['schema_ratio']) AS value
FROM findings_now AS f
WHERE f.rule = 'definition_change' AND f.severity != 'info' AND f.state IN ('open', 'acknowledged') AND $__timeFilter(f.last_seen)
GROUP BY server
ORDER BY server
