-- Findings on versions that can go; the value is for how many days they are replaced.
SELECT CAST(f.server AS String) AS server, CAST(f.tool AS String) AS tool, max(f.numbers['days_since_replaced']) AS value
FROM findings_now AS f
WHERE f.rule = 'sunset_ready' AND f.state IN ('open', 'acknowledged') AND $__timeFilter(f.last_seen)
GROUP BY server, tool
ORDER BY server, tool
