-- Findings on silent defaults; the value is how many calls.
SELECT CAST(f.server AS String) AS server, CAST(f.tool AS String) AS tool, max(f.numbers['silent_defaults']) AS value
FROM findings_now AS f
WHERE f.rule = 'silent_default' AND f.state IN ('open', 'acknowledged') AND $__timeFilter(f.last_seen)
GROUP BY server, tool
ORDER BY server, tool
