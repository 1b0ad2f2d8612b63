-- Seconds since anything was stored, where something was in the time range. Each client sends a heartbeat every half minute.
SELECT toFloat64(dateDiff('second', max(stored), $__toTime)) AS value
FROM
(
    SELECT max(c.ingested_at) AS stored, count() AS n FROM tool_calls AS c WHERE $__timeFilter(c.ingested_at)
    UNION ALL
    SELECT max(h.ingested_at) AS stored, count() AS n FROM client_heartbeats AS h WHERE $__timeFilter(h.ingested_at)
)
HAVING sum(n) > 0
