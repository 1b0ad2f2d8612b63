-- What happened around the requests of some conversations: the activations that loaded something and the rosters of each, a conversation
-- after the other.
SELECT conversation, at, turn_number, happened, names, servers, digest
FROM
(
    SELECT conversation_id AS conversation, time AS at, toInt64(turn) AS turn_number, 'activation' AS happened,
        arrayMap(x -> toString(x), loaded) AS names, if(server = '', [], [toString(server)]) AS servers, '' AS digest, lane, seq, pos
    FROM activations
    WHERE notEmpty(loaded) AND conversation_id IN (SELECT arrayJoin(?))
    UNION ALL
    SELECT conversation_id, time, toInt64(turn), concat('roster:', toString(reason)),
        arrayMap(x -> toString(x), `tools.name`), arrayMap(x -> toString(x), not_connected), toString(roster_digest), lane, seq, pos
    FROM tool_rosters
    WHERE conversation_id IN (SELECT arrayJoin(?))
)
ORDER BY conversation, at, lane, seq, pos
