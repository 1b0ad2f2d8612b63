-- Findings on what trying again costs; the value is the multiple of the first attempts.
SELECT toString(f.server) AS server, toString(f.tool) AS tool, max(f.numbers['multiple']) AS value
FROM findings_now AS f
WHERE f.rule = 'retry_tokens' AND f.state IN ('open', 'acknowledged') AND $__timeFilter(f.last_seen)
GROUP BY server, tool
ORDER BY server, tool
