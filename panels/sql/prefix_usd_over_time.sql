-- Dollars lost, by model. Breaks of models without a price are not in them.
SELECT $__timeInterval(v.time) AS time, toString(v.request_model) AS series, sum(v.lost_usd) AS usd
FROM notable_verdicts AS v FINAL
WHERE $__timeFilter(v.time) AND v.verdict IN {breaks} AND {scope of requests}
GROUP BY time, v.request_model
ORDER BY time, series
SETTINGS do_not_merge_across_partitions_select_final = 1
