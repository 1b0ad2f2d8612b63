-- Requests that broke the cache, by verdict.
SELECT $__timeInterval(v.time) AS time, toString(v.verdict) AS series, count() AS breaks
FROM notable_verdicts AS v FINAL
WHERE $__timeFilter(v.time) AND v.verdict IN {breaks} AND {scope of requests}
GROUP BY time, v.verdict
ORDER BY time, series
SETTINGS do_not_merge_across_partitions_select_final = 1
