-- How many events of each kind and how many dead letters the window holds, and the span of their times.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT 'tool_call' AS kind, count() AS n, toDateTime64(min(time), 6, 'UTC') AS first, toDateTime64(max(time), 6, 'UTC') AS last
FROM tool_calls WHERE time >= lo AND time < hi
UNION ALL
SELECT 'activation' AS kind, count() AS n, toDateTime64(min(time), 6, 'UTC') AS first, toDateTime64(max(time), 6, 'UTC') AS last
FROM activations WHERE time >= lo AND time < hi
UNION ALL
SELECT 'request_prefix' AS kind, count() AS n, toDateTime64(min(time), 6, 'UTC') AS first, toDateTime64(max(time), 6, 'UTC') AS last
FROM request_prefixes WHERE time >= lo AND time < hi
UNION ALL
SELECT 'tool_roster' AS kind, count() AS n, toDateTime64(min(time), 6, 'UTC') AS first, toDateTime64(max(time), 6, 'UTC') AS last
FROM tool_rosters WHERE time >= lo AND time < hi
UNION ALL
SELECT 'tool_definition' AS kind, count() AS n, toDateTime64(min(time), 6, 'UTC') AS first, toDateTime64(max(time), 6, 'UTC') AS last
FROM tool_definitions WHERE time >= lo AND time < hi
UNION ALL
SELECT 'client_heartbeat' AS kind, count() AS n, toDateTime64(min(time), 6, 'UTC') AS first, toDateTime64(max(time), 6, 'UTC') AS last
FROM client_heartbeats WHERE time >= lo AND time < hi
UNION ALL
SELECT 'dead_letter' AS kind, count() AS n, toDateTime64(min(time), 6, 'UTC') AS first, toDateTime64(max(time), 6, 'UTC') AS last
FROM dead_letters WHERE time >= lo AND time < hi
