-- Requests to models and the conversations that they belong to, by agent.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT toString(agent_name) AS agent, count() AS requests, uniq(conversation_id) AS conversations
FROM request_prefixes
WHERE time >= lo AND time < hi
GROUP BY agent
ORDER BY agent
