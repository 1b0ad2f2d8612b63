-- Conversations that any event of the window belongs to.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT uniqExact(conversation) AS n FROM (
SELECT toString(conversation_id) AS conversation FROM tool_calls WHERE time >= lo AND time < hi AND conversation_id != ''
UNION ALL
SELECT toString(conversation_id) AS conversation FROM activations WHERE time >= lo AND time < hi AND conversation_id != ''
UNION ALL
SELECT toString(conversation_id) AS conversation FROM request_prefixes WHERE time >= lo AND time < hi AND conversation_id != ''
)
