-- What the verdicts of a window come to by agent, day in UTC and verdict, in one pass. Names are grouped by a sum of their hashes. No request is
-- stored on two days, so that FINAL need not look across partitions.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT
    toString(any(agent_name)) AS agent, toString(any(verdict)) AS said, toString(toDate32(min(time), 'UTC')) AS day, count() AS requests,
    toUInt64(least(ifNull(sum(toUInt128(tokens_lost)), 0), toUInt128(9223372036854775807))) AS tokens, sum(lost_usd) AS usd, sum(cost_usd) AS cost, sum(stated_cost_usd) AS stated,
    countIf(isNull(cost_usd)) AS no_cost, countIf(isNull(lost_usd)) AS no_loss, countIf(clock_backwards) AS backwards, min(time) AS first, max(time) AS last
FROM request_verdicts FINAL
WHERE time >= lo AND time < hi
GROUP BY 3 * cityHash64(agent_name) + 5 * cityHash64(verdict) + 0x9E3779B97F4A7C15 * toUInt64(toInt32(toDate32(time, 'UTC')))
SETTINGS do_not_merge_across_partitions_select_final = 1
