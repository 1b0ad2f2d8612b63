-- Tokens that an agent lost to changes of one part of the prefix.
SELECT
    CAST(v.agent_name AS String) AS agent,
    multiIf(v.verdict = 'tools_changed', 'tools', v.verdict = 'system_changed', 'system', 'messages') AS part,
    toFloat64(sum(ifNull(v.tokens_lost, 0))) AS value
FROM request_verdicts AS v FINAL
WHERE v.verdict IN ('tools_changed', 'system_changed', 'messages_changed', 'compaction') AND $__timeFilter(v.time)
GROUP BY agent, part
ORDER BY agent, part
