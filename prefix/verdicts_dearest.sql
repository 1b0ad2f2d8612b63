-- The conversations of a window that lost most, and those of the worst findings on breaks: by severity, then by what they cost. In a group of one
-- verdict of a conversation, worst says how severe it is; in one of a conversation it is -1.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT conversation_hash AS hash, count() AS breaks, ifNull(sum(tokens_lost), 0) AS tokens, sum(lost_usd) AS usd,
    toInt8(if(grouping(verdict) = 1, -1, (tokens >= ?) + (tokens >= ?))) AS worst
FROM notable_verdicts FINAL
WHERE time >= lo AND time < hi AND verdict IN (SELECT arrayJoin(?))
GROUP BY GROUPING SETS ((conversation_hash, verdict), (conversation_hash))
ORDER BY worst DESC, ifNull(usd, 0) DESC, tokens DESC, breaks DESC, hash
LIMIT ? BY worst < 0
SETTINGS do_not_merge_across_partitions_select_final = 1
