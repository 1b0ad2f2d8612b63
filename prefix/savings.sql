-- What the breaks in a window cost by what would be fixed: by agent, verdict, cause, and the part of the prefix that it is about. Breaks that
-- lost nothing are not there, and each other one is in one group, so that the groups add up to no more than all that was lost.
-- Tools that were activated, or that changed because of a deploy, a permission or a threshold, are one group: one change fixes them all.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT toString(agent_name) AS agent, toString(verdict) AS reason, toString(cause) AS why, kind, toString(rhythm) AS rhythm, block,
    arraySort(groupUniqArrayArray(20)(parts)) AS names,
    count() AS breaks, uniqExact(conversation_hash) AS conversations, sum(ifNull(tokens_lost, 0)) AS tokens, sum(lost_usd) AS usd,
    countIf(isNull(lost_usd)) AS unpriced,
    argMax(conversation_id, ifNull(tokens_lost, 0)) AS dearest_conversation, argMax(request, ifNull(tokens_lost, 0)) AS dearest_request
FROM
(
    SELECT agent_name, verdict, cause, conversation_id, conversation_hash, request, tokens_lost, lost_usd,
        if(verdict = 'system_changed', toString(system_rhythm), '') AS rhythm,
        if(verdict = 'system_changed', system_block, -1) AS block,
        if(verdict != 'tools_changed', '', arrayFirst(k -> has(`tools.kind`, k),
            ['same_name_churn', 'serialization_only', 'reordered', 'removed', 'defer_flag_flip', 'added'])) AS kind,
        multiIf(
            verdict = 'tools_changed' AND cause IN ('list_changed', 'reconnect'), arrayMap(x -> toString(x), cause_names),
            verdict = 'tools_changed', arrayDistinct(arrayMap(n -> toString(n), arrayFilter((n, k) -> k = kind, `tools.name`, `tools.kind`))),
            verdict = 'params_changed', arrayMap(x -> toString(x), params),
            verdict = 'unattributed', [toString(provider_name)],
            []) AS parts,
        if(verdict = 'tools_changed' AND cause IN ('activation', 'deploy', 'permission', 'threshold'), [], arraySort(parts)) AS part
    FROM notable_verdicts FINAL
    WHERE time >= lo AND time < hi AND verdict IN (SELECT arrayJoin(?)) AND (isNull(tokens_lost) OR tokens_lost > 0)
)
GROUP BY agent_name, verdict, cause, kind, rhythm, block, part
ORDER BY ifNull(usd, 0) DESC, tokens DESC, breaks DESC, agent, reason, why, kind, rhythm, block, part
