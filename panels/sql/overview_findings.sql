-- How many findings are open by severity.
SELECT countIf(f.severity = 'critical') AS critical, countIf(f.severity = 'warning') AS warning, countIf(f.severity = 'info') AS info
FROM findings AS f FINAL
WHERE {open} AND {scope of findings}
