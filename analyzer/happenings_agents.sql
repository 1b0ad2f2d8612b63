-- When each version of each agent, and each model that it uses, was first seen in a span.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT toString(agent_name) AS agent, toString(agent_version) AS version, toString(request_model) AS model, min(first) AS at
FROM
(
    SELECT agent_name, agent_version, request_model, min(time) AS first
    FROM tool_calls WHERE time >= lo AND time < hi AND agent_name IN (?) GROUP BY agent_name, agent_version, request_model
    UNION ALL
    SELECT agent_name, agent_version, request_model, min(time)
    FROM request_verdicts WHERE time >= lo AND time < hi AND agent_name IN (?) GROUP BY agent_name, agent_version, request_model
)
GROUP BY agent_name, agent_version, request_model
ORDER BY at, agent, version, model
LIMIT ?
