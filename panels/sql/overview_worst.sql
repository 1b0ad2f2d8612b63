-- The open findings, the worst first, and of one severity the latest.
SELECT
    toString(f.severity) AS severity, f.title AS title, f.action AS action, toString(f.server) AS server, toString(f.tool) AS tool,
    toString(f.model) AS model, toString(f.agent) AS agent, f.conversation AS conversation, toString(f.detector) AS detector,
    f.first_seen AS first_seen, f.last_seen AS last_seen, toString(f.runbook) AS runbook, f.fingerprint AS fingerprint
FROM findings_now AS f
WHERE {open} AND {scope of findings}
ORDER BY indexOf(['critical', 'warning', 'info'], severity), last_seen DESC, title
LIMIT 100
