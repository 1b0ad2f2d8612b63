-- What was loaded, and what was refused to be, with the first and the last of each and where they were.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT
    toUInt8(1) AS part, kind, '' AS server_name, named AS name, '' AS model, '' AS agent, '' AS version, '' AS conversation,
    min(time) AS first, max(time) AS last,
    toString((argMin((agent_name, agent_version, request_model), time) AS at_start).1) AS start_agent, toString(at_start.2) AS start_version, toString(at_start.3) AS start_model,
    groupUniqArray(16)(toString(agent_name)) AS agents, groupUniqArray(16)(toString(environment)) AS environments, groupUniqArray(16)(toString(team)) AS teams
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
GROUP BY kind, named
ORDER BY kind, named
LIMIT ?
