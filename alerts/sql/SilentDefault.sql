-- Findings on silent defaults; the value is how many calls.
SELECT toString(f.server) AS server, toString(f.tool) AS tool, max(f.numbers['silent_defaults']) AS value
FROM findings_now AS f
WHERE f.rule = 'silent_default' AND f.state IN ('open', 'acknowledged') AND $__timeFilter(f.last_seen)
GROUP BY server, tool
ORDER BY server, tool
