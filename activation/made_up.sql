-- Made-up ids, in the order of the calls.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT server_name, tool, agent, model, conversation, toString(path) AS place, digest, value
FROM
(
    SELECT
        toString(server) AS server_name,
        toString(if(resolved_name = '', tool_name, resolved_name)) AS tool,
        toString(agent_name) AS agent,
        toString(request_model) AS model,
        toString(conversation_id) AS conversation,
        `made_up_ids.path` AS paths, `made_up_ids.digest` AS digests, `made_up_ids.value` AS all_values,
        time, lane, seq, pos
    FROM tool_calls
    WHERE time >= lo AND time < hi AND notEmpty(`made_up_ids.digest`)
)
ARRAY JOIN paths AS path, digests AS digest, all_values AS value
ORDER BY time, conversation, lane, seq, pos, place
LIMIT ?
