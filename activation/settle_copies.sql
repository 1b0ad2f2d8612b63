-- The conversations of a stretch of a lane in which calls came with a resolution that were judged without one.
SELECT DISTINCT toString(conversation_id) AS conversation
FROM tool_calls
WHERE lane = ? AND seq > ? AND seq <= ? AND resolution != '' AND id GLOBAL IN (SELECT id FROM judged_calls)
