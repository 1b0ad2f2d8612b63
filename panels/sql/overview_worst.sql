-- The open findings, the worst first, and of one severity the latest.
SELECT
    toString(f.severity) AS severity, f.title AS title, f.action AS action, f.changed AS changed, toString(f.owner) AS owner, toString(f.server) AS server,
    toString(f.tool) AS tool, toString(f.model) AS model, toString(f.agent) AS agent, f.conversation AS conversation, toString(f.detector) AS detector,
    if(f.began = 0, f.first_seen, f.began) AS began, f.last_seen AS last_seen, {runbook} AS runbook, f.fingerprint AS fingerprint
FROM findings_now AS f
WHERE {open} AND {scope of findings}
ORDER BY indexOf(['critical', 'warning', 'info'], severity), last_seen DESC, title
LIMIT 100
