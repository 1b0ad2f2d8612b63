-- Silent defaults: the names that were left empty, and what the calls said instead.
SELECT
    toString(c.server) AS server, toString({tool}) AS tool, toString(c.request_model) AS model, count() AS calls,
    arrayStringConcat(arraySort(groupUniqArrayArray(8)(c.defaulted_arguments)), ', ') AS defaulted,
    arrayStringConcat(arraySort(groupUniqArrayArray(8)(if(empty(c.renamed_arguments), c.unknown_arguments, c.renamed_arguments))), ', ') AS said,
    min(c.time) AS first, max(c.time) AS last, argMin(c.conversation_id, c.time) AS conversation
FROM tool_calls AS c
WHERE c.drift_class = 'silent_default' AND $__timeFilter(c.time) AND {scope of calls}
GROUP BY server, tool, model
ORDER BY calls DESC, server, tool, model
LIMIT 200
