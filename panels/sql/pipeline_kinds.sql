-- Events by kind: how many, when the latest happened and when the latest was stored.
SELECT kind, n AS events, if(n = 0, NULL, latest) AS last, if(n = 0, NULL, stored) AS last_stored
FROM
(
    SELECT 'tool_call' AS kind, count() AS n, max(e.time) AS latest, max(e.ingested_at) AS stored FROM tool_calls AS e WHERE $__timeFilter(e.time) AND {scope of events}
    UNION ALL
    SELECT 'activation' AS kind, count() AS n, max(e.time) AS latest, max(e.ingested_at) AS stored FROM activations AS e WHERE $__timeFilter(e.time) AND {scope of events}
    UNION ALL
    SELECT 'request_prefix' AS kind, count() AS n, max(e.time) AS latest, max(e.ingested_at) AS stored FROM request_prefixes AS e WHERE $__timeFilter(e.time) AND {scope of events}
    UNION ALL
    SELECT 'tool_roster' AS kind, count() AS n, max(e.time) AS latest, max(e.ingested_at) AS stored FROM tool_rosters AS e WHERE $__timeFilter(e.time) AND {scope of events}
    UNION ALL
    SELECT 'tool_definition' AS kind, count() AS n, max(e.time) AS latest, max(e.ingested_at) AS stored FROM tool_definitions AS e WHERE $__timeFilter(e.time) AND {scope of events}
    UNION ALL
    SELECT 'client_heartbeat' AS kind, count() AS n, max(e.time) AS latest, max(e.ingested_at) AS stored FROM client_heartbeats AS e WHERE $__timeFilter(e.time) AND {scope of events}
)
ORDER BY events DESC, kind
