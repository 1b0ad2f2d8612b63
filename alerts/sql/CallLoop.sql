-- Findings on loops; the value is how many.
SELECT CAST(f.server AS String) AS server, CAST(f.tool AS String) AS tool, max(f.numbers['loops']) AS value
FROM findings_now AS f
WHERE f.rule = 'loop' AND f.state IN ('open', 'acknowledged') AND $__timeFilter(f.last_seen)
GROUP BY server, tool
ORDER BY server, tool
