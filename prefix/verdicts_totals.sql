-- What the verdicts of a window come to, in one pass: by agent, day in UTC and verdict, and by conversation, of which those that are named come
-- first and then those that lost most. Names are grouped by a sum of their hashes, and conversations by theirs. No request is stored on two
-- days, so that FINAL need not look across partitions.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT
    grouping(conversation_hash) = 0 AS of_conversation, conversation_hash AS hash, toString(any(agent_name)) AS agent, toString(any(verdict)) AS said,
    toString(toDate32(min(time), 'UTC')) AS day, count() AS requests, countIf(verdict IN (SELECT arrayJoin(?))) AS breaks,
    ifNull(sum(tokens_lost), 0) AS tokens, sum(lost_usd) AS usd, sum(cost_usd) AS cost, sum(stated_cost_usd) AS stated,
    countIf(isNull(cost_usd)) AS no_cost, countIf(isNull(lost_usd)) AS no_loss, countIf(clock_backwards) AS backwards, min(time) AS first, max(time) AS last
FROM
(
    SELECT conversation_hash, agent_name, verdict, time, tokens_lost, lost_usd, cost_usd, stated_cost_usd, clock_backwards,
        3 * cityHash64(agent_name) + 5 * cityHash64(verdict) + 0x9E3779B97F4A7C15 * toUInt64(toInt32(toDate32(time, 'UTC'))) AS names
    FROM request_verdicts FINAL
    WHERE time >= lo AND time < hi
)
GROUP BY GROUPING SETS ((names), (conversation_hash))
ORDER BY hash IN (SELECT arrayJoin(CAST(? AS Array(UInt64)))) DESC, ifNull(usd, 0) DESC, tokens DESC, breaks DESC, hash
LIMIT ? BY if(of_conversation, 0, names)
SETTINGS do_not_merge_across_partitions_select_final = 1
