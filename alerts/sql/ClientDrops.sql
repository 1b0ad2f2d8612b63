-- Events that clients dropped, by agent and reason. A heartbeat says how many since the client started; what it said before the time range does not count.
SELECT agent, reason, toFloat64(sum(dropped)) AS value
FROM
(
    SELECT
        CAST(any(h.agent_name) AS String) AS agent, h.client_id AS client, CAST(of_reason AS String) AS reason,
        max(number) - maxIf(number, h.time < $__fromTime) AS dropped
    FROM client_heartbeats AS h
    ARRAY JOIN h.`dropped.reason` AS of_reason, h.`dropped.count` AS number
    WHERE h.time >= $__fromTime - INTERVAL 1 DAY AND h.time < $__toTime
    GROUP BY client, reason
)
WHERE dropped > 0
GROUP BY agent, reason
ORDER BY agent, reason
