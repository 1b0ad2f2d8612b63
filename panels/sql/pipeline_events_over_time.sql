-- Events stored, by kind and by when they happened.
SELECT time, series, events
FROM
(
    SELECT $__timeInterval(e.time) AS time, 'tool_call' AS series, count() AS events FROM tool_calls AS e WHERE $__timeFilter(e.time) AND {scope of events} GROUP BY time
    UNION ALL
    SELECT $__timeInterval(e.time) AS time, 'activation' AS series, count() AS events FROM activations AS e WHERE $__timeFilter(e.time) AND {scope of events} GROUP BY time
    UNION ALL
    SELECT $__timeInterval(e.time) AS time, 'request_prefix' AS series, count() AS events FROM request_prefixes AS e WHERE $__timeFilter(e.time) AND {scope of events} GROUP BY time
    UNION ALL
    SELECT $__timeInterval(e.time) AS time, 'tool_roster' AS series, count() AS events FROM tool_rosters AS e WHERE $__timeFilter(e.time) AND {scope of events} GROUP BY time
    UNION ALL
    SELECT $__timeInterval(e.time) AS time, 'tool_definition' AS series, count() AS events FROM tool_definitions AS e WHERE $__timeFilter(e.time) AND {scope of events} GROUP BY time
    UNION ALL
    SELECT $__timeInterval(e.time) AS time, 'client_heartbeat' AS series, count() AS events FROM client_heartbeats AS e WHERE $__timeFilter(e.time) AND {scope of events} GROUP BY time
)
ORDER BY time, series
