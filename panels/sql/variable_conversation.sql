-- Conversations to look at: those that lost most first, and then others with requests.
SELECT value
FROM
(
    SELECT any(v.conversation_id) AS value, sum(ifNull(v.tokens_lost, 0)) AS lost
    FROM notable_verdicts AS v
    WHERE $__timeFilter(v.time) AND {scope of requests} AND v.conversation_id != ''
    GROUP BY v.conversation_hash
    UNION ALL
    SELECT DISTINCT v.conversation_id AS value, 0 AS lost
    FROM request_verdicts AS v
    WHERE $__timeFilter(v.time) AND {scope of requests} AND v.conversation_id != ''
    LIMIT 200
)
GROUP BY value
ORDER BY sum(lost) DESC, value
LIMIT 200
