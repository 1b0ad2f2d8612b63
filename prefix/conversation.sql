-- All requests of one conversation, in order of start.
SELECT
{columns}
FROM request_prefixes
WHERE conversation_id = ?
ORDER BY start_time, end_time, turn, request_id, id, lane, seq, pos
