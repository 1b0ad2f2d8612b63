-- The breaks that lost most, each with all that is known of it.
SELECT
    v.time AS time, v.conversation_id AS conversation, toString(v.agent_name) AS agent, toString(v.request_model) AS model, v.request AS request,
    toString(v.verdict) AS verdict, arrayStringConcat(v.secondary, ', ') AS secondary, toString(v.cause) AS cause,
    arrayStringConcat(
        arrayConcat(
            arraySlice(arrayMap((n, k) -> concat(n, ' (', k, ')'), v.`tools.name`, v.`tools.kind`), 1, 5), arrayMap(x -> toString(x), v.params),
            if(v.system_block < 0, [], [concat('system block ', toString(v.system_block))]),
            if(v.message < 0, [], [concat('message ', toString(v.message))])), ', ') AS changed,
    v.gap_seconds AS gap, v.tokens_lost AS tokens, v.lost_usd AS usd, toString(v.provider_diagnosis) AS diagnosis
FROM notable_verdicts AS v FINAL
WHERE $__timeFilter(v.time) AND v.verdict IN {breaks} AND {scope of requests}
ORDER BY ifNull(usd, 0) DESC, ifNull(tokens, 0) DESC, time, conversation, request
LIMIT 200
SETTINGS do_not_merge_across_partitions_select_final = 1
