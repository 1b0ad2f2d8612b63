-- The findings that are muted, or resolved and not come again, of rules that alerts hold one by one against tooltrail_finding_silenced. Those of
-- one conversation are left out: alerts are on all of an agent's. What no run has seen for a day raises no alert, and needs no silence.
SELECT DISTINCT rule, server, tool, model, agent, release FROM findings_now
WHERE state IN ('muted', 'resolved') AND conversation = ''
    AND rule IN ('drift_ratio', 'silent_default', 'retry_tokens', 'canary_worse', 'sunset_ready', 'loop', 'made_up_id', 'summary_cut')
    AND last_seen > fromUnixTimestamp64Micro(toInt64(?), 'UTC')
ORDER BY rule, server, tool, model, agent, release
LIMIT 5000
