-- The conversations of a window that lost most, and those of the most severe findings: by_cost and by_severity are their places.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT hash, tokens, usd, no_loss
FROM
(
    SELECT hash, tokens, usd, no_loss,
        row_number() OVER (ORDER BY ifNull(usd, 0) DESC, tokens DESC, breaks DESC, hash) AS by_cost,
        row_number() OVER (ORDER BY (tokens >= ?) + (tokens >= ?) DESC, ifNull(usd, 0) DESC, tokens DESC, hash) AS by_severity
    FROM
    (
        SELECT conversation_hash AS hash, count() AS breaks, toUInt64(least(ifNull(sum(toUInt128(tokens_lost)), 0), toUInt128(9223372036854775807))) AS tokens, sum(lost_usd) AS usd,
            countIf(isNull(lost_usd)) AS no_loss
        FROM notable_verdicts FINAL
        WHERE time >= lo AND time < hi AND verdict IN (SELECT arrayJoin(?))
        GROUP BY conversation_hash
    )
)
WHERE by_cost <= ? OR by_severity <= ?
ORDER BY by_cost
SETTINGS do_not_merge_across_partitions_select_final = 1
