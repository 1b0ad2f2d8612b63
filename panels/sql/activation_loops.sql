-- The same failing call three times in a row or more in one conversation: same tool, same arguments, nothing else called in between. Which
-- conversations can have one is asked of the failed calls alone, by a hash of all that must be the same; of the calls of theirs, found by a hash of
-- the conversation, only what puts them in order is read, and all else of the calls in loops alone: ids of conversations take longer to read than
-- all of this. Of two conversations whose hash is the same, which is one in thousands of millions, one may hide a loop of the other.
WITH
    (
        SELECT groupArray((failed, first, last, calls))
        FROM
        (
            SELECT failed, count() AS calls, min(at) AS first, max(at) AS last
            FROM
            (
                SELECT
                    (c.time, c.lane, c.seq, c.pos) AS at, c.failed_hash AS failed,
                    row_number() OVER (PARTITION BY c.conversation_hash ORDER BY c.time, c.lane, c.seq, c.pos)
                        - row_number() OVER (PARTITION BY c.conversation_hash, c.failed_hash ORDER BY c.time, c.lane, c.seq, c.pos) AS island
                FROM tool_calls AS c
                PREWHERE c.conversation_hash GLOBAL IN
                (
                    SELECT any(c.conversation_hash)
                    FROM tool_calls AS c
                    PREWHERE c.failed_hash != 0
                    WHERE $__timeFilter(c.time) AND {scope of calls}
                    GROUP BY c.failed_hash
                    HAVING count() >= 3
                )
                WHERE $__timeFilter(c.time)
            )
            WHERE failed != 0
            GROUP BY failed, island
            HAVING calls >= 3
            ORDER BY calls DESC, last DESC, failed
            LIMIT 100
        )
    ) AS loops
SELECT server, tool, conversation, in_a_row.4 AS calls, sum(n_tokens) AS tokens, any(how) AS ended, any(who) AS agent, in_a_row.3.1 AS last
FROM
(
    SELECT
        toString(c.server) AS server, toString({tool}) AS tool, c.conversation_id AS conversation, toString(c.outcome) AS how, toString(c.agent_name) AS who,
        (c.time, c.lane, c.seq, c.pos) AS at, c.failed_hash AS failed, ifNull(c.input_tokens, 0) + ifNull(c.output_tokens, 0) AS n_tokens
    FROM tool_calls AS c
    PREWHERE c.failed_hash GLOBAL IN (SELECT arrayJoin(loops.1))
    WHERE $__timeFilter(c.time)
)
ARRAY JOIN loops AS in_a_row
WHERE failed = in_a_row.1 AND at >= in_a_row.2 AND at <= in_a_row.3
GROUP BY server, tool, conversation, in_a_row
ORDER BY calls DESC, last DESC, server, tool, conversation
LIMIT 100
