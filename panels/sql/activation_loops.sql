-- The same failing call three times in a row or more in one conversation: same tool, same arguments, nothing else called in between. Which
-- conversations can have one is asked of the failed calls alone, first by the hash of tool and conversation; only theirs are put in order.
SELECT
    server, tool, conversation, count() AS calls, sum(n_tokens) AS tokens, toString(any(outcome)) AS ended, toString(any(agent)) AS agent, max(at) AS last
FROM
(
    SELECT
        toString(c.server) AS server, toString({tool}) AS tool, c.conversation_id AS conversation, c.arguments_digest AS arguments, c.outcome AS outcome,
        c.agent_name AS agent, c.time AS at, ifNull(c.input_tokens, 0) + ifNull(c.output_tokens, 0) AS n_tokens, c.outcome != 'ok' AS failed,
        row_number() OVER (PARTITION BY c.conversation_id ORDER BY c.time, c.lane, c.seq, c.pos)
            - row_number() OVER
            (
                PARTITION BY c.conversation_id, c.server, c.tool_name, c.arguments_digest, c.outcome != 'ok' ORDER BY c.time, c.lane, c.seq, c.pos
            ) AS island
    FROM tool_calls AS c
    PREWHERE c.conversation_id GLOBAL IN
    (
        SELECT c.conversation_id
        FROM tool_calls AS c
        PREWHERE c.outcome != 'ok' AND c.piece_hash GLOBAL IN
        (
            SELECT c.piece_hash
            FROM tool_calls AS c
            PREWHERE c.outcome != 'ok'
            WHERE $__timeFilter(c.time) AND c.piece_hash != 0 AND {scope of calls}
            GROUP BY c.piece_hash
            HAVING count() >= 3
        )
        WHERE $__timeFilter(c.time) AND c.arguments_digest != ''
        GROUP BY c.conversation_id, c.server, c.tool_name, c.arguments_digest
        HAVING count() >= 3
    )
    WHERE $__timeFilter(c.time)
)
WHERE failed AND arguments != ''
GROUP BY server, tool, conversation, arguments, island
HAVING calls >= 3
ORDER BY calls DESC, server, tool, conversation
LIMIT 100
