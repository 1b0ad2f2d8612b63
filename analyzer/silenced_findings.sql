-- The findings that are muted, or resolved and not come again. Those of one conversation are left out: alerts are on all of an agent's.
SELECT DISTINCT rule, server, tool, model, agent, state FROM findings_now
WHERE state IN ('muted', 'resolved') AND conversation = ''
ORDER BY rule, server, tool, model, agent, state
LIMIT 5000
