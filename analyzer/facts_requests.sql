-- Requests of some conversations by what became of the cache and by what tells their callers apart, with the first and the last of each.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT
    concat('verdict:', toString(verdict)) AS kind, '' AS server_name, '' AS name, toString(request_model) AS model, toString(agent_name) AS agent,
    toString(agent_version) AS version, toString(environment) AS env, toString(team) AS of_team, '' AS schema, conversation_id AS conversation,
    min(time) AS first, max(time) AS last
FROM request_verdicts FINAL
WHERE time >= lo AND time < hi AND conversation_hash IN (SELECT arrayJoin(arrayMap(x -> sipHash64(x), ?))) AND conversation_id IN (?)
GROUP BY verdict, request_model, agent_name, agent_version, environment, team, conversation_id
ORDER BY verdict, request_model, agent_name, agent_version, environment, team, conversation_id
LIMIT ?
