SELECT fingerprint, version, detector, rule, severity, server, tool, model, agent, conversation, release, window_from, window_to,
       numbers, title, action, example, first_seen, last_seen, state, muted_until, runbook
FROM findings FINAL
WHERE (? OR fingerprint IN (?))
  AND (? = '' OR detector = ?)
  AND (? = '' OR rule = ?)
  AND (? = '' OR state = ?)
  AND last_seen >= ?
ORDER BY transform(severity, ['critical', 'warning', 'info'], [0, 1, 2], 3), last_seen DESC, fingerprint
LIMIT ?
