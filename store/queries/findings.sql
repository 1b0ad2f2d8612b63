SELECT fingerprint, version, detector, rule, severity, server, tool, model, agent, conversation, release, window_from, window_to,
       numbers, title, action, example, first_seen, last_seen, state, muted_until, runbook, owner, team, environment, agents, environments, teams,
       began, last_event, changes, state_since, state_by, state_why, toUInt64(reopened) AS reopened, last_act, last_act_at
FROM findings_now
WHERE (? OR fingerprint IN (?))
  AND startsWith(fingerprint, ?)
  AND (? = '' OR detector = ?)
  AND (? = '' OR rule = ?)
  AND (? = '' OR state = ?)
  AND severity IN (?)
  AND (? = '' OR server = ?)
  AND (? = '' OR tool = ?)
  AND (? = '' OR agent = ? OR has(agents, ?))
  AND (? = '' OR environment = ? OR has(environments, ?))
  AND (? = '' OR team = ? OR has(teams, ?))
  AND (? = '' OR owner = ?)
  AND last_seen >= ?
ORDER BY state IN ('muted', 'resolved'), transform(severity, ['critical', 'warning', 'info'], [0, 1, 2], 3), toStartOfHour(last_seen) DESC, size DESC, fingerprint
LIMIT ?
