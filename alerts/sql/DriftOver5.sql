-- Findings on a ratio over the limit of the tool and not over the critical one; the value is the ratio.
SELECT toString(f.server) AS server, toString(f.tool) AS tool, toString(f.model) AS model, max(f.numbers['ratio']) AS value
FROM findings_now AS f
WHERE f.rule = 'drift_ratio' AND f.severity = 'warning' AND f.state IN ('open', 'acknowledged') AND $__timeFilter(f.last_seen)
GROUP BY server, tool, model
ORDER BY server, tool, model
