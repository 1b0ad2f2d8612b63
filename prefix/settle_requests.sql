-- All requests of some conversations, a conversation after the other, each in order of start.
SELECT
{columns}
FROM request_prefixes
WHERE conversation_id IN (SELECT arrayJoin(?))
ORDER BY conversation_id, start_time, end_time, turn, request_id, id, lane, seq, pos
