-- The same failing call several times in a row in one conversation: same tool, same arguments, nothing else called in between.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT
    server_name, tool, conversation, count() AS calls, sum(tokens) AS tokens, toString(any(outcome)) AS ended
FROM
(
    SELECT
        toString(server) AS server_name,
        toString(if(resolved_name = '', tool_name, resolved_name)) AS tool,
        toString(conversation_id) AS conversation,
        arguments_digest AS arguments,
        outcome,
        outcome != 'ok' AS failed,
        ifNull(input_tokens, 0) + ifNull(output_tokens, 0) AS tokens,
        row_number() OVER (PARTITION BY conversation_id ORDER BY time, lane, seq, pos)
            - row_number() OVER
            (
                PARTITION BY conversation_id, server, tool_name, arguments_digest, outcome != 'ok' ORDER BY time, lane, seq, pos
            ) AS island
    FROM tool_calls
    WHERE time >= lo AND time < hi AND conversation_id != ''
)
WHERE failed AND arguments != ''
GROUP BY server_name, tool, conversation, arguments, island
HAVING calls >= ?
ORDER BY calls DESC, server_name, tool, conversation
