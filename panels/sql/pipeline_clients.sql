-- Clients by agent and version, as their latest heartbeats say.
SELECT
    agent, version, count() AS clients, max(last) AS last, sum(n_emitted) AS emitted, sum(n_acked) AS acked, sum(n_queue) AS queue, sum(n_reconnects) AS reconnects
FROM
(
    SELECT
        toString(argMax(h.agent_name, h.time)) AS agent, toString(argMax(h.client_version, h.time)) AS version, max(h.time) AS last, argMax(h.emitted, h.time) AS n_emitted,
        argMax(h.acked, h.time) AS n_acked, argMax(h.queue_events, h.time) AS n_queue, argMax(h.reconnects, h.time) AS n_reconnects
    FROM client_heartbeats AS h
    WHERE $__timeFilter(h.time) AND {scope of heartbeats}
    GROUP BY h.client_id
)
GROUP BY agent, version
ORDER BY agent, version
LIMIT 100
