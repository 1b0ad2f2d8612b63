-- Breaks by agent, and what they lost.
SELECT
    toString(v.agent_name) AS agent, count() AS breaks, uniqExact(v.conversation_hash) AS conversations, {sum of tokens} AS tokens, sum(v.lost_usd) AS usd,
    countIf(isNull(v.lost_usd)) AS unpriced
FROM notable_verdicts AS v FINAL
WHERE $__timeFilter(v.time) AND v.verdict IN {breaks} AND {scope of requests}
GROUP BY v.agent_name
ORDER BY ifNull(usd, 0) DESC, tokens DESC, breaks DESC, agent
LIMIT 100
SETTINGS do_not_merge_across_partitions_select_final = 1
