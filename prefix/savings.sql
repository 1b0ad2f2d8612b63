-- What the breaks in a window cost by what would be fixed: by agent, verdict, cause, and the part of the prefix that it is about. Breaks that
-- lost nothing are not there, and each other one is in one group, so that the groups add up to no more than all that was lost.
-- Tools that were activated, or that changed because of a deploy, a permission or a threshold, are one group: one change fixes them all.
-- Breaks with all of this in common are added up first, told by a hash, so that names are looked at once for each such sum.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT toString(agent_name) AS agent, toString(verdict) AS reason, toString(cause) AS why, kind, rhythm, block,
    arraySort(groupUniqArrayArray(20)(parts)) AS names, groupUniqArrayArray(3)(not_seen) AS hidden,
    sum(n) AS breaks, uniqExactMerge(talks) AS conversations, toUInt64(least(sum(lost), toUInt128(9223372036854775807))) AS tokens, sum(spent) AS usd, sum(free) AS unpriced,
    argMax(worst.1, worst_lost) AS dearest_conversation, argMax(worst.2, worst_lost) AS dearest_request
FROM
(
    SELECT agent_name, verdict, cause, n, talks, lost, spent, free, worst, worst_lost, not_seen,
        if(verdict = 'system_changed', toString(system_rhythm), '') AS rhythm,
        if(verdict = 'system_changed', system_block, -1) AS block,
        if(verdict != 'tools_changed', '', arrayFirst(k -> has(kinds, k),
            ['same_name_churn', 'serialization_only', 'reordered', 'removed', 'defer_flag_flip', 'added'])) AS kind,
        multiIf(
            verdict = 'tools_changed' AND cause IN ('list_changed', 'reconnect'), arrayMap(x -> toString(x), causers),
            verdict = 'tools_changed', arrayDistinct(arrayMap(x -> toString(x), arrayFilter((x, k) -> k = kind, tools, kinds))),
            verdict = 'params_changed', arrayMap(x -> toString(x), settings),
            verdict = 'unattributed', [toString(provider_name)],
            []) AS parts,
        if(verdict = 'tools_changed' AND cause IN ('activation', 'deploy', 'permission', 'threshold'), [], arraySort(parts)) AS part
    FROM
    (
        SELECT agent_name, verdict, cause, system_rhythm, system_block, provider_name, any(cause_names) AS causers, any(`tools.name`) AS tools,
            any(`tools.kind`) AS kinds, any(params) AS settings, any(arrayMap(x -> toString(x), unseen)) AS not_seen, count() AS n, uniqExactState(conversation_hash) AS talks,
            sum(toUInt128(ifNull(tokens_lost, 0))) AS lost, sum(lost_usd) AS spent, countIf(isNull(lost_usd)) AS free,
            argMax((conversation_id, request), ifNull(tokens_lost, 0)) AS worst, max(ifNull(tokens_lost, 0)) AS worst_lost
        FROM notable_verdicts FINAL
        WHERE time >= lo AND time < hi AND verdict IN (SELECT arrayJoin(?)) AND (isNull(tokens_lost) OR tokens_lost > 0)
        GROUP BY agent_name, verdict, cause, system_rhythm, system_block, provider_name,
            sipHash64(cause_names, `tools.name`, `tools.kind`, params, unseen)
    )
)
GROUP BY agent_name, verdict, cause, kind, rhythm, block, part
ORDER BY ifNull(usd, 0) DESC, tokens DESC, breaks DESC, agent, reason, why, kind, rhythm, block, part
SETTINGS do_not_merge_across_partitions_select_final = 1
