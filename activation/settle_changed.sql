-- The conversations that a stretch of a lane tells of.
SELECT DISTINCT toString(conversation_id) AS conversation
FROM {table}
WHERE lane = ? AND seq > ? AND seq <= ? AND conversation_id != '' {only}
