-- The calls of a stretch of a lane that came without a resolution, a conversation after the other.
SELECT
{columns}
FROM tool_calls
WHERE lane = ? AND seq > ? AND seq <= ? AND resolution = '' AND conversation_id != ''
ORDER BY conversation_id, time, id, seq, pos
