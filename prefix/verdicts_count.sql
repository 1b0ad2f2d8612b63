-- How many conversations have a request in a window; a request that is stored twice counts none more.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT uniqExact(conversation_hash) AS n
FROM request_verdicts
WHERE time >= lo AND time < hi
