-- All calls, those whose name was looked up, and the made-up ids in them.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT count() AS calls, countIf(resolution != '') AS judged, sum(length(`made_up_ids.digest`)) AS made_up
FROM tool_calls
WHERE time >= lo AND time < hi
