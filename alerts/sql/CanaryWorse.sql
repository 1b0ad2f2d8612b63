-- Findings on canaries that do worse; the value is the larger difference of ratios.
SELECT CAST(f.server AS String) AS server, CAST(f.tool AS String) AS tool, max(greatest(f.numbers['drift_difference'], f.numbers['error_difference'])) AS value
FROM findings_now AS f
WHERE f.rule = 'canary_worse' AND f.state IN ('open', 'acknowledged') AND $__timeFilter(f.last_seen)
GROUP BY server, tool
ORDER BY server, tool
