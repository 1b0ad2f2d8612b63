-- The conversations of the worst findings on breaks: by severity, then by what they cost.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT hash, max(severity) AS worst, max(ifNull(usd, 0)) AS most_usd, max(tokens) AS most
FROM
(
    SELECT conversation_hash AS hash, verdict, ifNull(sum(tokens_lost), 0) AS tokens, sum(lost_usd) AS usd, (tokens >= ?) + (tokens >= ?) AS severity
    FROM notable_verdicts FINAL
    WHERE time >= lo AND time < hi AND verdict IN (SELECT arrayJoin(?))
    GROUP BY conversation_hash, verdict
    ORDER BY severity DESC, ifNull(usd, 0) DESC, tokens DESC, hash
    LIMIT ?
)
GROUP BY hash
ORDER BY worst DESC, most_usd DESC, most DESC, hash
