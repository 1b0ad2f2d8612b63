-- Tokens lost by verdict.
SELECT time, series, tokens
FROM
(
    SELECT $__timeInterval(time) AS time, toString(verdict) AS series, sum(ifNull(tokens_lost, 0)) AS tokens
    FROM notable_verdicts FINAL
    WHERE $__timeFilter(time) AND verdict IN {breaks} AND {scope of requests}
    GROUP BY time, series
)
ORDER BY time, series
