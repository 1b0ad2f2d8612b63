-- Requests of some conversations by what became of the cache, with the first and the last of each and where they were.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT
    toUInt8(1) AS part, concat('verdict:', toString(verdict)) AS kind, '' AS server_name, '' AS name, '' AS model, toString(agent_name) AS agent, '' AS version,
    conversation_id AS conversation, min(time) AS first, max(time) AS last,
    toString(agent_name) AS start_agent, toString((argMin((agent_version, request_model), time) AS at_start).1) AS start_version, toString(at_start.2) AS start_model,
    [toString(agent_name)] AS agents, groupUniqArray(16)(toString(environment)) AS environments, groupUniqArray(16)(toString(team)) AS teams
FROM request_verdicts FINAL
WHERE time >= lo AND time < hi AND conversation_hash IN (SELECT arrayJoin(arrayMap(x -> sipHash64(x), ?))) AND conversation_id IN (?)
GROUP BY verdict, agent_name, conversation_id
ORDER BY verdict, agent_name, conversation_id
LIMIT ?
