-- What some conversations are called, and whose their first request in a window is.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT conversation_hash AS hash, any(conversation_id) AS conversation, toString(argMinIf(agent_name, (start_time, id), agent_name != '')) AS agent
FROM {table}
WHERE time >= lo AND time < hi AND conversation_hash IN (SELECT arrayJoin(CAST(? AS Array(UInt64))))
GROUP BY conversation_hash
