-- Findings on made-up ids; the value is how many.
SELECT CAST(f.server AS String) AS server, CAST(f.tool AS String) AS tool, max(f.numbers['ids']) AS value
FROM findings_now AS f
WHERE f.rule = 'made_up_id' AND f.state IN ('open', 'acknowledged') AND $__timeFilter(f.last_seen)
GROUP BY server, tool
ORDER BY server, tool
