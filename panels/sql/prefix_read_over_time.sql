-- The share of prompts that was read from the cache, by model.
SELECT
    $__timeInterval(v.time) AS time, toString(v.request_model) AS series, sumIf(v.read_tokens, isNotNull(v.prompt_tokens)) / sum(v.prompt_tokens) AS read_share
FROM request_verdicts AS v FINAL
WHERE $__timeFilter(v.time) AND v.prompt_tokens > 0 AND {scope of requests}
GROUP BY time, v.request_model
ORDER BY time, series
SETTINGS do_not_merge_across_partitions_select_final = 1
