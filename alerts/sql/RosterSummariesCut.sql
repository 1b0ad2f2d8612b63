-- The finding on summaries that are cut in a roster; the value is how many tools.
SELECT max(f.numbers['tools']) AS value
FROM findings_now AS f
WHERE f.rule = 'summary_cut' AND f.state IN ('open', 'acknowledged') AND $__timeFilter(f.last_seen)
HAVING count() > 0
