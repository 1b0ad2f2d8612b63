-- Calls whose name was not simply right, by rule and name, the most frequent first. The rows of one rule are cut at a limit; the
-- rule's own totals are those of all of them. What the sender did not look up and the analyzer did is in judged_calls. The hash of tool and conversation counts conversations: of one name all calls mean one tool.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT
    rule, how, server_name, called, meant, calls, tokens, conversations, models, agents,
    sum(calls) OVER (PARTITION BY rule) AS rule_calls,
    sum(tokens) OVER (PARTITION BY rule) AS rule_tokens
FROM
(
    SELECT
        toString(resolution) AS rule,
        toString(resolution_how) AS how,
        toString(server) AS server_name,
        toString({called}) AS called,
        if(resolved_name = called, '', toString(resolved_name)) AS meant,
        count() AS calls,
        sum(ifNull(input_tokens, 0) + ifNull(output_tokens, 0)) AS tokens,
        uniqIf(piece_hash, piece_hash != 0) + max(piece_hash = 0) AS conversations,
        arrayMap(x -> toString(x), arraySort(groupUniqArrayIf(5)(request_model, request_model != ''))) AS models,
        arrayMap(x -> toString(x), groupUniqArray(20)(agent_name)) AS agents
    FROM
    (
        SELECT resolution, resolution_how, server, tool_name, resolved_name, bridge, bridged_name, input_tokens, output_tokens, piece_hash, request_model, agent_name
        FROM tool_calls
        WHERE time >= lo AND time < hi AND resolution NOT IN ('', 'ok')
        UNION ALL
        SELECT resolution, resolution_how, server, tool_name, resolved_name, bridge, bridged_name, input_tokens, output_tokens, piece_hash, request_model, agent_name
        FROM judged_calls FINAL
        WHERE time >= lo AND time < hi AND resolution NOT IN ('', 'ok')
    )
    GROUP BY rule, how, server_name, called, meant
)
ORDER BY rule, calls DESC, called, meant
LIMIT ? BY rule
