-- Breaks for changed tools, by tool and kind of change. A break that several tools made counts under each of them.
SELECT
    toString(name) AS tool, toString(kind) AS change, count() AS breaks, uniqExact(v.conversation_hash) AS conversations, {sum of tokens} AS tokens,
    sum(v.lost_usd) AS usd, arrayStringConcat(arraySort(groupUniqArrayIf(3)(toString(v.cause), v.cause != '')), ', ') AS causes
FROM notable_verdicts AS v FINAL
ARRAY JOIN v.`tools.name` AS name, v.`tools.kind` AS kind
WHERE $__timeFilter(v.time) AND v.verdict = 'tools_changed' AND {scope of requests}
GROUP BY tool, change
ORDER BY ifNull(usd, 0) DESC, tokens DESC, breaks DESC, tool, change
LIMIT 100
SETTINGS do_not_merge_across_partitions_select_final = 1
