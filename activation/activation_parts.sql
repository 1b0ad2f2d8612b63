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
            turn,
            arrayFilter(x -> x != 'already_loaded', arrayMap(x -> toString(x), `refused.reason`)) AS reasons,
            empty(loaded) AND notEmpty(reasons) AS failed,
            via IN ('activation_tool', 'tool_search') AS by_model,
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
        toUInt64(count()) AS times, toUInt64(sum(t_in)) AS input, toUInt64(sum(t_out)) AS output,
        toUnixTimestamp64Micro(max(at)) AS latest
    FROM
    (
        SELECT 'activation_refused' AS rule, agent, of_provider, model, conversation, reason AS how, 0 AS t_in, 0 AS t_out, at
        FROM asked_for
        ARRAY JOIN reasons AS reason
        UNION ALL
        SELECT 'activation_failed' AS rule, agent, of_provider, model, conversation, how, t_in, t_out, at
        FROM asked_for
        WHERE failed
        UNION ALL
        SELECT 'activation_round_trips' AS rule, agent, of_provider, model, conversation, how, t_in, t_out, at
        FROM
        (
            SELECT *, row_number() OVER (PARTITION BY conversation, island ORDER BY turn) AS place
            FROM
            (
                SELECT *, turn - row_number() OVER (PARTITION BY conversation ORDER BY turn) AS island
                FROM
                (
                    SELECT
                        any(agent) AS agent, any(of_provider) AS of_provider, any(model) AS model, conversation, any(how) AS how, turn,
                        sum(t_in) AS t_in, sum(t_out) AS t_out, max(at) AS at
                    FROM
                    (
                        SELECT agent, of_provider, model, conversation, how, turn, t_in, t_out, at
                        FROM asked_for
                        WHERE by_model AND turn > 0 AND conversation != ''
                    )
                    GROUP BY conversation, turn
                )
            )
        )
        WHERE place > 1
    )
    ARRAY JOIN [0, 1, 2, 3, 4] AS part
    GROUP BY part, rule, key, provider
)
WHERE key != ''
ORDER BY part, rule, times DESC, input + output DESC, key, provider
LIMIT ? BY part, rule
