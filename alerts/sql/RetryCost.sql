-- Findings on what trying again costs; the value is the multiple of the first attempts.
SELECT CAST(f.server AS String) AS server, CAST(f.tool AS String) AS tool, max(f.numbers['multiple']) AS value
FROM findings_now AS f
WHERE f.rule = 'retry_tokens' AND f.state IN ('open', 'acknowledged') AND $__timeFilter(f.last_seen)
GROUP BY server, tool
ORDER BY server, tool
