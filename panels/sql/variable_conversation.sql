-- Conversations to look at: those that lost most first, then the latest.
SELECT value
FROM
(
    SELECT any(conversation_id) AS value, sum(ifNull(tokens_lost, 0)) AS lost, max(time) AS latest
    FROM request_verdicts
    WHERE $__timeFilter(time) AND {scope of requests} AND conversation_id != ''
    GROUP BY conversation_hash
    ORDER BY lost DESC, latest DESC, value
    LIMIT 200
)
