-- How many findings are open by severity.
SELECT countIf(f.severity = 'critical') AS critical, countIf(f.severity = 'warning') AS warning, countIf(f.severity = 'info') AS info
FROM findings_now AS f
WHERE {open} AND {scope of findings}
