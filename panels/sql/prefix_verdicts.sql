-- Requests by verdict, and what their breaks lost.
SELECT
    toString(v.verdict) AS verdict, count() AS requests, {sum of tokens} AS tokens, sum(v.lost_usd) AS usd,
    countIf(v.verdict IN {breaks} AND isNull(v.lost_usd)) AS unpriced
FROM request_verdicts AS v FINAL
WHERE $__timeFilter(v.time) AND {scope of requests}
GROUP BY v.verdict
ORDER BY ifNull(usd, 0) DESC, tokens DESC, requests DESC, verdict
SETTINGS do_not_merge_across_partitions_select_final = 1
