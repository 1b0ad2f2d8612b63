-- Tokens and dollars lost to breaks of the prompt cache.
SELECT {sum of tokens} AS tokens, sum(v.lost_usd) AS usd, count() AS breaks
FROM notable_verdicts AS v FINAL
WHERE $__timeFilter(v.time) AND v.verdict IN {breaks} AND {scope of requests}
SETTINGS do_not_merge_across_partitions_select_final = 1
