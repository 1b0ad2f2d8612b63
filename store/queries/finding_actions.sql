SELECT fingerprint, at, id, act, until, severity, done_by, why
FROM finding_actions
WHERE fingerprint IN (?)
ORDER BY fingerprint, at, id
LIMIT 1 BY fingerprint, at, id
