-- Events that clients dropped, by agent and reason. A heartbeat says how many since the client started; what it said first in the window is
-- not of the window, unless that was its first of all.
SELECT agent, reason, sum(dropped) AS events, uniqExact(client) AS clients, max(last) AS last
FROM
(
    SELECT
        toString(any(h.agent_name)) AS agent, h.client_id AS client, toString(of_reason) AS reason, max(number) AS latest,
        minIf(number, h.time >= $__fromTime) AS earliest, countIf(h.time < $__fromTime) AS before, maxIf(number, h.time < $__fromTime) AS was,
        latest - if(before > 0, was, 0) AS dropped, max(h.time) AS last
    FROM client_heartbeats AS h
    ARRAY JOIN h.`dropped.reason` AS of_reason, h.`dropped.count` AS number
    WHERE h.time >= $__fromTime - INTERVAL 1 DAY AND h.time < $__toTime AND {scope of heartbeats}
    GROUP BY client, reason
)
WHERE dropped > 0
GROUP BY agent, reason
ORDER BY events DESC, agent, reason
LIMIT 100
