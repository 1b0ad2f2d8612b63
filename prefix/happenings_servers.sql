-- What servers told of their own lists to nobody's conversation.
SELECT '' AS conversation, time AS at, toInt64(0) AS turn_number, concat('server:', toString(reason)) AS happened,
    arrayMap(x -> toString(x), `tools.name`) AS names, [toString(server)] AS servers, toString(roster_digest) AS digest
FROM tool_rosters
WHERE conversation_id = '' AND server != '' AND release = '' AND reason IN ('list_changed', 'permission')
ORDER BY time, lane, seq, pos
