-- Findings on rosters that changed inside a conversation; the value is how many changes.
SELECT CAST(f.agent AS String) AS agent, sum(f.numbers['changes']) AS value
FROM findings_now AS f
WHERE f.rule = 'roster_changed_in_conversation' AND f.state IN ('open', 'acknowledged') AND $__timeFilter(f.last_seen)
GROUP BY agent
ORDER BY agent
