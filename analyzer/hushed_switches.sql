-- The findings of one rule that are muted or resolved, the latest first.
SELECT fingerprint, state, state_since, muted_until FROM findings_now
WHERE rule = ? AND state IN ('muted', 'resolved')
ORDER BY state_since DESC, fingerprint
LIMIT 5000
