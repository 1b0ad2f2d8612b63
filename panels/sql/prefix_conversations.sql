-- The conversations that lost most.
SELECT
    any(v.conversation_id) AS conversation, toString(any(v.agent_name)) AS agent, count() AS breaks, {sum of tokens} AS tokens, sum(v.lost_usd) AS usd,
    toString(argMax(v.verdict, ifNull(v.tokens_lost, 0))) AS dearest, max(v.time) AS last
FROM notable_verdicts AS v FINAL
WHERE $__timeFilter(v.time) AND v.verdict IN {breaks} AND {scope of requests}
GROUP BY v.conversation_hash
ORDER BY ifNull(usd, 0) DESC, tokens DESC, breaks DESC, conversation
LIMIT 50
SETTINGS do_not_merge_across_partitions_select_final = 1
