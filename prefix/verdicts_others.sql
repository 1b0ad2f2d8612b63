-- Some conversations with a request in a window that are not among those named.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT DISTINCT conversation_hash AS hash
FROM request_verdicts
WHERE time >= lo AND time < hi AND conversation_hash NOT IN (SELECT arrayJoin(CAST(? AS Array(UInt64))))
ORDER BY hash
LIMIT ?
