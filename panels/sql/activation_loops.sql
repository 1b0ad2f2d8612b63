-- The same failing call three times in a row or more in one conversation: same tool, same arguments, nothing else called in between. Which
-- conversations can have one is asked of the failed calls alone, by a hash of all that must be the same; only the calls of theirs, found by a hash
-- of the conversation, are put in order.
SELECT
    server, tool, conversation, count() AS calls, sum(n_tokens) AS tokens, toString(any(outcome)) AS ended, toString(any(agent)) AS agent, max(at) AS last
FROM
(
    SELECT
        toString(c.server) AS server, toString({tool}) AS tool, toString(c.conversation_id) AS conversation, c.outcome AS outcome,
        c.agent_name AS agent, c.time AS at, c.failed_hash AS failed, ifNull(c.input_tokens, 0) + ifNull(c.output_tokens, 0) AS n_tokens,
        row_number() OVER (PARTITION BY c.conversation_id ORDER BY c.time, c.lane, c.seq, c.pos)
            - row_number() OVER (PARTITION BY c.conversation_id, c.failed_hash ORDER BY c.time, c.lane, c.seq, c.pos) AS island
    FROM tool_calls AS c
    PREWHERE c.conversation_hash GLOBAL IN
    (
        SELECT c.conversation_hash
        FROM tool_calls AS c
        PREWHERE c.failed_hash GLOBAL IN
        (
            SELECT c.failed_hash
            FROM tool_calls AS c
            PREWHERE c.failed_hash != 0
            WHERE $__timeFilter(c.time) AND {scope of calls}
            GROUP BY c.failed_hash
            HAVING count() >= 3
        )
        WHERE $__timeFilter(c.time)
    )
    WHERE $__timeFilter(c.time) AND c.conversation_id != ''
)
WHERE failed != 0
GROUP BY server, tool, conversation, failed, island
HAVING calls >= 3
ORDER BY calls DESC, server, tool, conversation
LIMIT 100
