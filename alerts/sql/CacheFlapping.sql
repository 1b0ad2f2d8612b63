-- Findings on parts of the prefix that go back and forth; the value is in how many conversations.
SELECT CAST(f.agent AS String) AS agent, replaceOne(CAST(f.rule AS String), 'flapping_', '') AS part, toFloat64(count()) AS value
FROM findings_now AS f
WHERE f.rule IN ('flapping_tools', 'flapping_tool_order', 'flapping_system', 'flapping_roster') AND f.state IN ('open', 'acknowledged') AND $__timeFilter(f.last_seen)
GROUP BY agent, part
ORDER BY agent, part
