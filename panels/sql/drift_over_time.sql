-- The drift ratio of the ten tools with the most drifted calls.
SELECT time, series, drifted / calls AS ratio
FROM
(
    SELECT
        $__timeInterval(time) AS time, toString(any({tool})) AS series, count() AS calls, countIf({drifted}) AS drifted,
        cityHash64(server) + 3 * cityHash64({tool}) AS hash
    FROM tool_calls
    WHERE $__timeFilter(time) AND {scope of calls}
    GROUP BY time, hash
)
ORDER BY time, series
