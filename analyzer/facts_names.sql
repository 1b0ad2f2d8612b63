-- Calls by a name that was not simply right, with the first and the last of each name and rule and where they were: those that the sender looked up, and
-- those that the analyzer did.
WITH
    fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT
    toUInt8(1) AS part, concat('name:', toString(resolution)) AS kind, toString(server) AS server_name, toString({called}) AS name,
    '' AS model, '' AS agent, '' AS version, '' AS conversation, min(time) AS first, max(time) AS last,
    toString((argMin((agent_name, agent_version, request_model), time) AS at_start).1) AS start_agent, toString(at_start.2) AS start_version, toString(at_start.3) AS start_model,
    groupUniqArray(16)(toString(agent_name)) AS agents, groupUniqArray(16)(toString(environment)) AS environments, groupUniqArray(16)(toString(team)) AS teams
FROM
(
    SELECT
        resolution, server, tool_name, resolved_name, bridge, bridged_name, agent_name, agent_version, request_model, environment, team, time
    FROM tool_calls
    WHERE time >= lo AND time < hi AND resolution NOT IN ('', 'ok')
    UNION ALL
    SELECT
        resolution, server, tool_name, resolved_name, bridge, bridged_name, agent_name, agent_version, request_model, environment, team, time
    FROM judged_calls FINAL
    WHERE time >= lo AND time < hi AND resolution NOT IN ('', 'ok')
)
WHERE {called} IN (?)
GROUP BY kind, server_name, name
ORDER BY kind, server_name, name
LIMIT ?
