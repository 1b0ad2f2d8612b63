-- The same failing call several times in a row in one conversation: same tool, same arguments, nothing else called in between. Which
-- conversations can have one is asked of the failed calls alone, by a hash of all that must be the same; only the calls of theirs, found by
-- a hash of the conversation, are put in order. Ids of conversations are read once and arguments not at all: strings of rows that lie in all
-- parts of the table cost as much as those of all rows.
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
        outcome, time, failed_hash,
        toString(agent_name) AS agent,
        toString(provider_name) AS of_provider,
        toString(request_model) AS of_model,
        ifNull(input_tokens, 0) AS t_in,
        ifNull(output_tokens, 0) AS t_out,
        row_number() OVER (PARTITION BY conversation_id ORDER BY time, lane, seq, pos)
            - row_number() OVER (PARTITION BY conversation_id, failed_hash ORDER BY time, lane, seq, pos) AS island
    FROM tool_calls
    PREWHERE conversation_hash GLOBAL IN
    (
        SELECT conversation_hash
        FROM tool_calls
        PREWHERE failed_hash GLOBAL IN
        (
            SELECT failed_hash
            FROM tool_calls
            PREWHERE failed_hash != 0
            WHERE time >= lo AND time < hi
            GROUP BY failed_hash
            HAVING count() >= least
        )
        WHERE time >= lo AND time < hi
    )
    WHERE time >= lo AND time < hi AND conversation_id != ''
)
WHERE failed_hash != 0
GROUP BY server_name, tool, conversation, failed_hash, island
HAVING calls >= least
ORDER BY calls DESC, server_name, tool, conversation
