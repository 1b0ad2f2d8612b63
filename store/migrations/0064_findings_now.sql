CREATE OR REPLACE VIEW findings_now{{.OnCluster}} AS
WITH
    transform(f.severity, ['info', 'warning', 'critical'], [0, 1, 2], -1) AS rank,
    transform(a.severity, ['info', 'warning', 'critical'], [0, 1, 2], -1) AS rank_then,
    a.act = 'resolve' AND f.last_event > a.at AS again,
    a.act = 'acknowledge' AND rank > rank_then AS worse,
    a.act = 'mute' AND a.until <= now64(6, 'UTC') AS ended
SELECT
    f.fingerprint AS fingerprint, f.version AS version, f.detector AS detector, f.rule AS rule, f.severity AS severity, f.server AS server, f.tool AS tool,
    f.model AS model, f.agent AS agent, f.conversation AS conversation, f.release AS release, f.window_from AS window_from, f.window_to AS window_to,
    f.numbers AS numbers, f.title AS title, f.action AS action, f.example AS example, f.first_seen AS first_seen, f.last_seen AS last_seen,
    multiIf(again OR worse OR ended, 'open', a.act = 'acknowledge', 'acknowledged', a.act = 'mute', 'muted', a.act = 'resolve', 'resolved', 'open') AS state,
    if(state = 'muted', a.until, toDateTime64(0, 6, 'UTC')) AS muted_until,
    f.runbook AS runbook, f.owner AS owner, f.team AS team, f.environment AS environment, f.agents AS agents, f.environments AS environments, f.teams AS teams,
    arrayMax(arrayMap(x -> f.numbers[x], ['tokens_lost', 'retry_tokens', 'tokens', 'drifted', 'silent_defaults', 'longest', 'ids', 'changes', 'schema_changed',
        'never_called', 'conversations'])) AS size,
    f.began AS began, f.last_event AS last_event, f.changes AS changes, JSONExtractString(f.changes, 1, 'text') AS changed,
    multiIf(again, f.last_event, worse, f.last_seen, ended, a.until, a.at) AS state_since,
    if(again OR worse, 'analyzer', a.done_by) AS state_by,
    multiIf(again, 'it happened again', worse, 'it is worse than when it was acknowledged', ended, 'the mute ended', a.why) AS state_why,
    a.reopened + again AS reopened, a.act AS last_act, a.at AS last_act_at
FROM findings AS f FINAL
GLOBAL LEFT JOIN
(
    SELECT
        fingerprint, history[-1] AS last, last.1 AS at, toString(last.3) AS act, last.4 AS until, toString(last.5) AS severity, last.6 AS done_by, last.7 AS why,
        arrayCount((x, y) -> x.3 = 'resolve' AND y.3 = 'reopen', arrayPopBack(history), arrayPopFront(history)) AS reopened
    FROM
    (
        SELECT fingerprint, arraySort(groupArray((at, id, act, until, severity, done_by, why))) AS history FROM finding_actions GROUP BY fingerprint
    )
) AS a ON a.fingerprint = f.fingerprint
