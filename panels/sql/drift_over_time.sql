-- The drift ratio of the eight tools with the most drifted calls; where none drifted, of the one with the most calls.
SELECT time, series, if(sum(n_unjudged) = sum(n), NULL, sum(n_drifted) / sum(n)) AS ratio, sum(n) AS calls
FROM
(
    SELECT time, series, n, n_drifted, n_unjudged, all_drifted, dense_rank() OVER (ORDER BY all_drifted DESC, all_calls DESC, series) AS place
    FROM
    (
        SELECT time, series, n, n_drifted, n_unjudged, sum(n_drifted) OVER (PARTITION BY series) AS all_drifted, sum(n) OVER (PARTITION BY series) AS all_calls
        FROM
        (
            SELECT $__timeInterval(c.time) AS time, concat(if(any(c.server) = '', '', concat(toString(any(c.server)), '/')), toString(any({tool}))) AS series, count() AS n, countIf({drifted}) AS n_drifted,
                countIf({unjudged}) AS n_unjudged
            FROM tool_calls AS c
            WHERE $__timeFilter(c.time) AND {scope of calls}
            GROUP BY time, {hash of tool}
        )
    )
)
WHERE place <= 8 AND (all_drifted > 0 OR place = 1)
GROUP BY time, series
ORDER BY time, series
