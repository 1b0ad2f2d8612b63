-- The findings on wrong names that are muted or resolved, the latest first: a report lists only so many, and those that it does not list are
-- left out of what alerts count all the same.
SELECT rule, server, tool FROM findings_now
WHERE detector = 'activation' AND state IN ('muted', 'resolved') AND conversation = '' AND has(?, rule)
ORDER BY state_since DESC, rule, server, tool
LIMIT 5000
