-- The conversations that a stretch of a lane tells of, and the time of the earliest event of each in it, in microseconds since 1970.
SELECT toString(conversation_id) AS conversation, toUnixTimestamp64Micro(min({at})) AS earliest
FROM {table}
WHERE lane = ? AND seq > ? AND seq <= ? AND conversation_id != '' {only}
GROUP BY conversation_id
