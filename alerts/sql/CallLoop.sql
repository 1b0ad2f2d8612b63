-- Findings on loops; the value is how many.
SELECT toString(f.server) AS server, toString(f.tool) AS tool, max(f.numbers['loops']) AS value
FROM findings_now AS f
WHERE f.rule = 'loop' AND f.state IN ('open', 'acknowledged') AND $__timeFilter(f.last_seen)
GROUP BY server, tool
ORDER BY server, tool
