-- The open findings of prefix, the worst first.
SELECT {columns of findings}, {urgency} AS alert, {runbook} AS runbook
FROM findings_now AS f
WHERE {open} AND f.detector = 'prefix' AND {scope of findings of requests}
{worst first}
