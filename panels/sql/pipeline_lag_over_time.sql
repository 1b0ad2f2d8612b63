-- How long calls and requests took from when they happened to when they were stored: half of them at most, and 99 of 100 at most. What was read
-- from a recording does not count; where there is nothing else it is not known.
SELECT
    time,
    if(sum(n) = 0, NULL, quantileTDigestMerge(0.5)(q)) AS half,
    if(sum(n) = 0, NULL, quantileTDigestMerge(0.99)(q)) AS most
FROM
(
    SELECT
        $__timeInterval(e.time) AS time, countIf({stored live}) AS n,
        quantileTDigestStateIf(greatest(toFloat32(dateDiff('millisecond', e.time, e.ingested_at)) / 1000, 0), {stored live}) AS q
    FROM tool_calls AS e
    WHERE $__timeFilter(e.time) AND {scope of events}
    GROUP BY time
    UNION ALL
    SELECT
        $__timeInterval(e.time) AS time, countIf({stored live}) AS n,
        quantileTDigestStateIf(greatest(toFloat32(dateDiff('millisecond', e.time, e.ingested_at)) / 1000, 0), {stored live}) AS q
    FROM request_prefixes AS e
    WHERE $__timeFilter(e.time) AND {scope of events}
    GROUP BY time
)
GROUP BY time
ORDER BY time
