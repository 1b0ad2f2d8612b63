-- How many findings are open by severity.
SELECT countIf(severity = 'critical') AS critical, countIf(severity = 'warning') AS warning, countIf(severity = 'info') AS info
FROM findings FINAL
WHERE state = 'open' AND {scope of findings}
