-- The findings that are muted, or resolved and not come again. Those of one conversation are left out: alerts are on all of an agent's.
SELECT DISTINCT rule, server, tool, model, agent FROM findings_now
WHERE state IN ('muted', 'resolved') AND conversation = ''
ORDER BY rule, server, tool, model, agent
LIMIT 5000
