-- The same failing call several times in a row in one conversation: same tool, same arguments, nothing else called in between. Which
-- conversations can have one is asked of the failed calls alone, first by the hash of tool and conversation; only theirs are put in order.
WITH
    fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi,
    toUInt64(?) AS least
SELECT
    server_name, tool, conversation, count() AS calls, toUInt64(sum(t_in) + sum(t_out)) AS tokens, toString(any(outcome)) AS ended,
    any(agent) AS agent, any(of_provider) AS provider, any(of_model) AS model, toUInt64(sum(t_in)) AS input, toUInt64(sum(t_out)) AS output,
    toUnixTimestamp64Micro(max(time)) AS latest
FROM
(
    SELECT
        toString(server) AS server_name,
        toString(if(resolved_name = '', tool_name, resolved_name)) AS tool,
        toString(conversation_id) AS conversation,
        arguments_digest AS arguments,
        outcome, time,
        outcome != 'ok' AS failed,
        toString(agent_name) AS agent,
        toString(provider_name) AS of_provider,
        toString(request_model) AS of_model,
        ifNull(input_tokens, 0) AS t_in,
        ifNull(output_tokens, 0) AS t_out,
        row_number() OVER (PARTITION BY conversation_id ORDER BY time, lane, seq, pos)
            - row_number() OVER
            (
                PARTITION BY conversation_id, server, tool_name, arguments_digest, outcome != 'ok' ORDER BY time, lane, seq, pos
            ) AS island
    FROM tool_calls
    PREWHERE conversation_id GLOBAL IN
    (
        SELECT conversation_id
        FROM tool_calls
        PREWHERE outcome != 'ok' AND piece_hash GLOBAL IN
        (
            SELECT piece_hash
            FROM tool_calls
            PREWHERE outcome != 'ok'
            WHERE time >= lo AND time < hi AND piece_hash != 0
            GROUP BY piece_hash
            HAVING count() >= least
        )
        WHERE time >= lo AND time < hi AND arguments_digest != ''
        GROUP BY conversation_id, server, tool_name, arguments_digest
        HAVING count() >= least
    )
    WHERE time >= lo AND time < hi
)
WHERE failed AND arguments != ''
GROUP BY server_name, tool, conversation, arguments, island
HAVING calls >= least
ORDER BY calls DESC, server_name, tool, conversation
