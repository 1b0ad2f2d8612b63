-- What broke the rules of calls, by rule: all of it (part 0), by agent (1), by model (2), by conversation (3), by how (4). keys is how many there
-- are of a part; the rows are cut at a limit, the largest first. Few calls break a rule, and those alone are grouped. What
-- the sender did not look up and the analyzer did is in judged_calls; its made-up ids are counted with the call itself.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
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
        SELECT
            rule, agent, of_provider, model, conversation, if(rule = 'made_up_id', '', of_how) AS how,
            if(rule = 'made_up_id', ids, 1) AS n, t_in, t_out, at
        FROM
        (
            SELECT
                arrayConcat(
                    if(resolution IN ('', 'ok'), [], [toString(resolution)]), if(empty(`made_up_ids.digest`), [], ['made_up_id'])) AS rules,
                toString(agent_name) AS agent,
                toString(provider_name) AS of_provider,
                toString(request_model) AS model,
                conversation_id AS conversation,
                toString(resolution_how) AS of_how,
                length(`made_up_ids.digest`) AS ids,
                ifNull(input_tokens, 0) AS t_in,
                ifNull(output_tokens, 0) AS t_out,
                time AS at
            FROM tool_calls
            WHERE time >= lo AND time < hi AND (resolution NOT IN ('', 'ok') OR notEmpty(`made_up_ids.digest`))
            UNION ALL
            SELECT
                [toString(resolution)] AS rules,
                toString(agent_name) AS agent,
                toString(provider_name) AS of_provider,
                toString(request_model) AS model,
                conversation_id AS conversation,
                toString(resolution_how) AS of_how,
                toUInt64(0) AS ids,
                ifNull(input_tokens, 0) AS t_in,
                ifNull(output_tokens, 0) AS t_out,
                time AS at
            FROM judged_calls FINAL
            WHERE time >= lo AND time < hi AND resolution NOT IN ('', 'ok')
        )
        ARRAY JOIN rules AS rule
    )
    ARRAY JOIN [0, 1, 2, 3, 4] AS part
    GROUP BY part, rule, key, provider
)
WHERE key != ''
ORDER BY part, rule, times DESC, input + output DESC, key, provider
LIMIT ? BY part, rule
