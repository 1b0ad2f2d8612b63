-- All requests of the conversations that have one in the window, a conversation after the other, each in order of start. Requests
-- before the window are needed as predecessors; requests of no conversation can't be told apart and are cut at the window.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT
{columns}
FROM request_prefixes
WHERE (time >= lo AND time < hi)
    OR (time < hi AND conversation_id != ''
        AND conversation_id GLOBAL IN (SELECT conversation_id FROM request_prefixes WHERE time >= lo AND time < hi))
ORDER BY conversation_id, start_time, end_time, turn, request_id, id, lane, seq, pos
