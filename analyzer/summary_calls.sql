-- Tool calls by how they ended.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT toString(outcome) AS outcome, count() AS n
FROM tool_calls WHERE time >= lo AND time < hi
GROUP BY outcome
