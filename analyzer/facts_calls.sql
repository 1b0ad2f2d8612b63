-- Calls by what findings can be made of and by what tells their callers apart, with the first and the last of each. A call can be of several kinds.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT
    kind, toString(server) AS server_name, toString(named) AS name, toString(request_model) AS model, toString(agent_name) AS agent,
    toString(agent_version) AS version, toString(environment) AS env, toString(team) AS of_team, toString(used) AS schema, '' AS conversation,
    min(time) AS first, max(time) AS last
FROM
(
    SELECT
        server, request_model, agent_name, agent_version, environment, team, time,
        if(used_version = '', schema_version, used_version) AS used,
        drift_class IN ('old_version', 'silent_default', 'unknown_argument', 'validation_error')
            OR (drift_class IN ('', 'unregistered') AND outcome = 'validation_error') AS drifted,
        arrayFilter(x -> x.1 != '', [
            (if(drifted, 'drifted', ''), meant),
            (if(drift_class = 'silent_default', 'silent_default', ''), meant),
            (if(outcome = 'validation_error', 'invalid', ''), meant),
            (if(outcome NOT IN ('', 'ok'), 'failed', ''), meant),
            (if(attempt > 1, 'repeated', ''), meant),
            (if(notEmpty(`made_up_ids.digest`), 'made_up_id', ''), meant),
            (if(resolution NOT IN ('', 'ok'), concat('name:', toString(resolution)), ''), toString(tool_name))
        ]) AS kinds,
        toString(if(resolved_name = '', tool_name, resolved_name)) AS meant
    FROM tool_calls
    WHERE time >= lo AND time < hi
        AND (outcome NOT IN ('', 'ok') OR drift_class NOT IN ('', 'current', 'unregistered') OR resolution NOT IN ('', 'ok') OR attempt > 1
            OR notEmpty(`made_up_ids.digest`))
)
ARRAY JOIN kinds.1 AS kind, kinds.2 AS named
WHERE named IN (?)
GROUP BY kind, server, named, request_model, agent_name, agent_version, environment, team, used
ORDER BY kind, server, named, request_model, agent_name, agent_version, environment, team, used
LIMIT ?
