-- What was loaded, and what was refused to be, by what tells callers apart, with the first and the last of each.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT
    kind, '' AS server_name, toString(named) AS name, toString(request_model) AS model, toString(agent_name) AS agent, toString(agent_version) AS version,
    toString(environment) AS env, toString(team) AS of_team, '' AS schema, '' AS conversation, min(time) AS first, max(time) AS last
FROM
(
    SELECT
        request_model, agent_name, agent_version, environment, team, time,
        arrayConcat(arrayMap(x -> ('loaded', toString(x)), loaded), arrayMap(x -> ('refused', toString(x)), `refused.name`)) AS kinds
    FROM activations
    WHERE time >= lo AND time < hi
)
ARRAY JOIN kinds.1 AS kind, kinds.2 AS named
WHERE named IN (?)
GROUP BY kind, named, request_model, agent_name, agent_version, environment, team
ORDER BY kind, named, request_model, agent_name, agent_version, environment, team
LIMIT ?
