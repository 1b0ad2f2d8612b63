-- The open findings of activation, the worst first.
SELECT {columns of findings}, {urgency} AS alert, {runbook} AS runbook
FROM findings_now AS f
WHERE {open} AND f.detector = 'activation' AND {scope of findings}
{worst first}
