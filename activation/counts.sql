-- All calls, those whose name was looked up, by the sender or later, and the made-up ids in them.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT
    count() AS calls,
    countIf(resolution != '') + (SELECT count() FROM looked_up_calls FINAL WHERE time >= lo AND time < hi AND known) AS judged,
    sum(length(`made_up_ids.digest`)) AS made_up
FROM tool_calls
WHERE time >= lo AND time < hi
