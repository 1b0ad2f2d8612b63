-- What broke the rules of activations, in the parts of rule_parts.sql. A round trip is an answer of the model that asked for tools; those that
-- follow one another answer by answer are a row, of which all but the first are counted. Answers without a number have no place in a row.
WITH
    fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi,
    asked_for AS
    (
        SELECT
            toString(agent_name) AS agent,
            toString(provider_name) AS of_provider,
            toString(request_model) AS model,
            conversation_id AS conversation,
            toString(via) AS how,
            arrayFilter(x -> x != 'already_loaded', arrayMap(x -> toString(x), `refused.reason`)) AS reasons,
            empty(loaded) AND notEmpty(reasons) AS failed,
            ifNull(input_tokens, 0) AS t_in,
            ifNull(output_tokens, 0) AS t_out,
            time AS at
        FROM activations
        WHERE time >= lo AND time < hi
    )
SELECT part, rule, key, provider, times, input, output, latest, count() OVER (PARTITION BY part, rule) AS keys
FROM
(
    SELECT
        part, rule,
        multiIf(part = 0, 'all', part = 1, agent, part = 2, model, part = 3, conversation, how) AS key,
        if(part = 2, of_provider, '') AS provider,
        toUInt64(sum(n)) AS times, toUInt64(sum(t_in)) AS input, toUInt64(sum(t_out)) AS output,
        toUnixTimestamp64Micro(max(at)) AS latest
    FROM
    (
        SELECT 'activation_refused' AS rule, agent, of_provider, model, conversation, reason AS how, 1 AS n, 0 AS t_in, 0 AS t_out, at
        FROM asked_for
        ARRAY JOIN reasons AS reason
        UNION ALL
        SELECT 'activation_failed' AS rule, agent, of_provider, model, conversation, how, 1 AS n, t_in, t_out, at
        FROM asked_for
        WHERE failed
        UNION ALL
        SELECT
            'activation_round_trips' AS rule, agent, of_provider, model, conversation, how,
            length(arrayFilter(x -> has(turns, x - 1), turns)) AS n,
            arraySum(arrayMap((x, t) -> if(has(turns, x - 1), t, 0), all_turns, all_in)) AS t_in,
            arraySum(arrayMap((x, t) -> if(has(turns, x - 1), t, 0), all_turns, all_out)) AS t_out,
            at
        FROM
        (
            SELECT
                toString(any(agent_name)) AS agent, toString(any(provider_name)) AS of_provider, toString(any(request_model)) AS model,
                conversation_id AS conversation, toString(any(via)) AS how, groupArray(turn) AS all_turns, arrayDistinct(all_turns) AS turns,
                groupArray(ifNull(input_tokens, 0)) AS all_in, groupArray(ifNull(output_tokens, 0)) AS all_out, max(time) AS at
            FROM activations
            WHERE time >= lo AND time < hi AND via IN ('activation_tool', 'tool_search') AND turn > 0 AND conversation_id != ''
            GROUP BY conversation_id
        )
        WHERE n > 0
    )
    ARRAY JOIN [0, 1, 2, 3, 4] AS part
    GROUP BY part, rule, key, provider
)
WHERE key != ''
ORDER BY part, rule, times DESC, input + output DESC, key, provider
LIMIT ? BY part, rule
-- Activations are stored by conversation, so that one is done before the next begins.
SETTINGS optimize_aggregation_in_order = 1
