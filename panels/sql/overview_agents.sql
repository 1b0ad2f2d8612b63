-- What each agent calls, what of it drifted or was wrong, and what its breaks cost.
SELECT
    agent, sum(n) AS calls, if(sum(n_unjudged) = calls, NULL, sum(n_drifted) / calls) AS ratio, sum(n_wrong) AS wrong_names, sum(n_tokens) AS tokens,
    sum(n_usd) AS usd
FROM
(
    SELECT
        toString(c.agent_name) AS agent, count() AS n, countIf({drifted}) AS n_drifted, countIf({unjudged}) AS n_unjudged, 0 AS n_wrong,
        0 AS n_tokens, NULL::Nullable(Float64) AS n_usd
    FROM tool_calls AS c
    WHERE $__timeFilter(c.time) AND {scope of calls}
    GROUP BY c.agent_name
    UNION ALL
    SELECT toString(w.agent_name) AS agent, 0 AS n, 0 AS n_drifted, 0 AS n_unjudged, count() AS n_wrong, 0 AS n_tokens, NULL::Nullable(Float64) AS n_usd
    FROM {calls of wrong names} AS w
    GROUP BY w.agent_name
    UNION ALL
    SELECT
        toString(v.agent_name) AS agent, 0 AS n, 0 AS n_drifted, 0 AS n_unjudged, 0 AS n_wrong, {sum of tokens} AS n_tokens, sum(v.lost_usd) AS n_usd
    FROM notable_verdicts AS v FINAL
    WHERE $__timeFilter(v.time) AND v.verdict IN {breaks} AND {scope of requests}
    GROUP BY v.agent_name
)
GROUP BY agent
ORDER BY ifNull(usd, 0) DESC, calls DESC, agent
LIMIT 100
SETTINGS do_not_merge_across_partitions_select_final = 1
