-- Tokens that an agent lost to changes of one part of the prefix, findings left out that are muted or resolved.
SELECT
    CAST(v.agent_name AS String) AS agent,
    multiIf(v.verdict = 'tools_changed', 'tools', v.verdict = 'system_changed', 'system', 'messages') AS part,
    toFloat64(sum(ifNull(v.tokens_lost, 0))) AS value
FROM request_verdicts AS v FINAL
WHERE v.verdict IN ('tools_changed', 'system_changed', 'messages_changed', 'compaction') AND $__timeFilter(v.time)
    AND (toString(v.verdict), toString(v.agent_name), v.conversation_id) GLOBAL NOT IN
    (
        SELECT toString(f.rule), toString(f.agent), f.conversation FROM findings_now AS f
        WHERE f.detector = 'prefix' AND f.conversation != '' AND f.state IN ('muted', 'resolved')
    )
GROUP BY agent, part
ORDER BY agent, part
