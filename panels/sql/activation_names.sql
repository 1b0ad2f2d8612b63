-- Names that were wrong, and the tool that was meant. The hash of tool and conversation counts conversations: of one name all calls mean one tool.
SELECT
    toString(c.resolution) AS rule, toString(c.resolution_how) AS how, toString(c.server) AS server, toString(c.tool_name) AS called,
    toString(c.resolved_name) AS meant, count() AS calls, sum(ifNull(c.input_tokens, 0) + ifNull(c.output_tokens, 0)) AS tokens,
    uniqIf(c.piece_hash, c.piece_hash != 0) + max(c.piece_hash = 0) AS conversations,
    arrayStringConcat(arraySort(groupUniqArrayIf(5)(toString(c.request_model), c.request_model != '')), ', ') AS models,
    max(c.time) AS last, argMax(c.conversation_id, c.time) AS conversation
FROM tool_calls AS c
WHERE $__timeFilter(c.time) AND c.resolution NOT IN ('', 'ok') AND {scope of calls}
GROUP BY rule, how, server, called, meant
ORDER BY calls DESC, rule, called, meant
LIMIT 200
