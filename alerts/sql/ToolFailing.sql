-- What the breaker found of tools that stay enabled, by the title of the finding, which tells them apart; trials of the breaker are left out.
SELECT CAST(f.server AS String) AS server, CAST(f.tool AS String) AS tool, max(f.numbers['errors']) AS value
FROM findings_now AS f
WHERE f.rule = 'tool_disabled' AND f.title NOT LIKE 'Dry run:%' AND f.title NOT LIKE '% is disabled:%'
    AND f.state IN ('open', 'acknowledged') AND $__timeFilter(f.last_seen)
GROUP BY server, tool
ORDER BY server, tool
