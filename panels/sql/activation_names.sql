-- Names that were wrong, and the tool that was meant. The hash of tool and conversation counts conversations: of one name all calls mean one tool.
SELECT
    toString(w.resolution) AS rule, toString(w.resolution_how) AS how, toString(w.server) AS server, toString({called}) AS called,
    if(w.resolved_name = called, '', toString(w.resolved_name)) AS meant, count() AS calls,
    sum(ifNull(w.input_tokens, 0) + ifNull(w.output_tokens, 0)) AS tokens,
    uniqIf(w.piece_hash, w.piece_hash != 0) + max(w.piece_hash = 0) AS conversations,
    arrayStringConcat(arraySort(groupUniqArrayIf(5)(toString(w.request_model), w.request_model != '')), ', ') AS models,
    max(w.time) AS last, argMax(w.conversation_id, w.time) AS conversation
FROM {calls of wrong names} AS w
GROUP BY rule, how, server, called, meant
ORDER BY calls DESC, rule, called, meant
LIMIT 200
