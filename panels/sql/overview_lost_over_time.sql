-- Dollars lost to breaks of the prompt cache, by agent.
SELECT $__timeInterval(v.time) AS time, toString(v.agent_name) AS series, sum(v.lost_usd) AS usd
FROM notable_verdicts AS v FINAL
WHERE $__timeFilter(v.time) AND v.verdict IN {breaks} AND {scope of requests}
GROUP BY time, v.agent_name
ORDER BY time, series
SETTINGS do_not_merge_across_partitions_select_final = 1
