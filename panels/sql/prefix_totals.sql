-- Requests, those that broke the cache, what that lost, and the share of all prompts that was read from the cache.
SELECT
    count() AS requests, countIf(v.verdict IN {breaks}) AS breaks, {sum of tokens} AS tokens, sum(v.lost_usd) AS usd, sum(v.cost_usd) AS cost,
    if(sum(v.prompt_tokens) = 0, NULL, sumIf(v.read_tokens, isNotNull(v.prompt_tokens)) / sum(v.prompt_tokens)) AS read_share
FROM request_verdicts AS v FINAL
WHERE $__timeFilter(v.time) AND {scope of requests}
SETTINGS do_not_merge_across_partitions_select_final = 1
