-- How many requests some conversations have in a window; one that is stored twice counts once.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT conversation_hash AS hash, uniqExact(id) AS requests
FROM request_verdicts
WHERE time >= lo AND time < hi AND conversation_hash IN (SELECT arrayJoin(CAST(? AS Array(UInt64))))
GROUP BY conversation_hash
