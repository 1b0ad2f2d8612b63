-- How long calls and requests took from when they happened to when they were stored: half of them at most, and 99 of 100 at most.
SELECT time, quantileTDigestMerge(0.5)(q) AS half, quantileTDigestMerge(0.99)(q) AS most
FROM
(
    SELECT $__timeInterval(e.time) AS time, quantileTDigestState(greatest(toFloat32(dateDiff('millisecond', e.time, e.ingested_at)) / 1000, 0)) AS q
    FROM tool_calls AS e
    WHERE $__timeFilter(e.time) AND {scope of events}
    GROUP BY time
    UNION ALL
    SELECT $__timeInterval(e.time) AS time, quantileTDigestState(greatest(toFloat32(dateDiff('millisecond', e.time, e.ingested_at)) / 1000, 0)) AS q
    FROM request_prefixes AS e
    WHERE $__timeFilter(e.time) AND {scope of events}
    GROUP BY time
)
GROUP BY time
ORDER BY time
