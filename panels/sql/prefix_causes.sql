-- Breaks by cause, and what they lost.
SELECT
    if(v.cause = '', 'not known', toString(v.cause)) AS cause, count() AS breaks, uniqExact(v.conversation_hash) AS conversations, {sum of tokens} AS tokens, sum(v.lost_usd) AS usd,
    countIf(isNull(v.lost_usd)) AS unpriced
FROM notable_verdicts AS v FINAL
WHERE $__timeFilter(v.time) AND v.verdict IN {breaks} AND {scope of requests}
GROUP BY v.cause
ORDER BY ifNull(usd, 0) DESC, tokens DESC, breaks DESC, cause
LIMIT 100
SETTINGS do_not_merge_across_partitions_select_final = 1
