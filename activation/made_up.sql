-- Made-up ids, in the order of the calls.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT
    toString(server) AS server_name,
    toString(if(resolved_name = '', tool_name, resolved_name)) AS tool,
    toString(request_model) AS model,
    toString(conversation_id) AS conversation,
    toString(path) AS place, digest, value
FROM tool_calls
ARRAY JOIN `made_up_ids.path` AS path, `made_up_ids.digest` AS digest, `made_up_ids.value` AS value
WHERE time >= lo AND time < hi
ORDER BY time, conversation_id, lane, seq, pos, place
LIMIT ?
