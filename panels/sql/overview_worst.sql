-- The open findings, the worst first, and of one severity the latest.
SELECT {columns of findings}, {runbook} AS runbook
FROM findings_now AS f
WHERE {open} AND {scope of findings}
{worst first}
