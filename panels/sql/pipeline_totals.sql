-- Events stored, how long they took to be stored, and events that were refused.
SELECT sum(n) AS events, max(behind) AS lag, max(last_stored) AS stored, any(letters) AS letters
FROM
(
    SELECT count() AS n, quantileTDigestIf(0.99)(toFloat32(dateDiff('millisecond', e.time, e.ingested_at)) / 1000, e.ingested_at > e.time) AS behind, max(e.ingested_at) AS last_stored
    FROM tool_calls AS e
    WHERE $__timeFilter(e.time) AND {scope of events}
    HAVING n > 0
    UNION ALL
    SELECT count() AS n, quantileTDigestIf(0.99)(toFloat32(dateDiff('millisecond', e.time, e.ingested_at)) / 1000, e.ingested_at > e.time) AS behind, max(e.ingested_at) AS last_stored
    FROM activations AS e
    WHERE $__timeFilter(e.time) AND {scope of events}
    HAVING n > 0
    UNION ALL
    SELECT count() AS n, quantileTDigestIf(0.99)(toFloat32(dateDiff('millisecond', e.time, e.ingested_at)) / 1000, e.ingested_at > e.time) AS behind, max(e.ingested_at) AS last_stored
    FROM request_prefixes AS e
    WHERE $__timeFilter(e.time) AND {scope of events}
    HAVING n > 0
    UNION ALL
    SELECT count() AS n, quantileTDigestIf(0.99)(toFloat32(dateDiff('millisecond', e.time, e.ingested_at)) / 1000, e.ingested_at > e.time) AS behind, max(e.ingested_at) AS last_stored
    FROM tool_rosters AS e
    WHERE $__timeFilter(e.time) AND {scope of events}
    HAVING n > 0
    UNION ALL
    SELECT count() AS n, quantileTDigestIf(0.99)(toFloat32(dateDiff('millisecond', e.time, e.ingested_at)) / 1000, e.ingested_at > e.time) AS behind, max(e.ingested_at) AS last_stored
    FROM tool_definitions AS e
    WHERE $__timeFilter(e.time) AND {scope of events}
    HAVING n > 0
    UNION ALL
    SELECT count() AS n, quantileTDigestIf(0.99)(toFloat32(dateDiff('millisecond', e.time, e.ingested_at)) / 1000, e.ingested_at > e.time) AS behind, max(e.ingested_at) AS last_stored
    FROM client_heartbeats AS e
    WHERE $__timeFilter(e.time) AND {scope of events}
    HAVING n > 0
) AS stored_events
CROSS JOIN (SELECT count() AS letters FROM dead_letters AS l WHERE $__timeFilter(l.time)) AS refused
HAVING events > 0
