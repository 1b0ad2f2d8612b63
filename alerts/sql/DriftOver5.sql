-- Findings on a ratio over the limit of the tool and not over the critical one; the value is the ratio.
SELECT CAST(f.server AS String) AS server, CAST(f.tool AS String) AS tool, CAST(f.model AS String) AS model, max(f.numbers['ratio']) AS value
FROM findings_now AS f
WHERE f.rule = 'drift_ratio' AND f.severity = 'warning' AND f.state IN ('open', 'acknowledged') AND $__timeFilter(f.last_seen)
GROUP BY server, tool, model
ORDER BY server, tool, model
