-- The conversations that a stretch of a lane tells of, and in which minutes since 1970.
SELECT toString(conversation_id) AS conversation, groupUniqArray(intDiv(toUnixTimestamp64Micro({at}), 60000000)) AS minutes
FROM {table}
WHERE lane = ? AND seq > ? AND seq <= ?
GROUP BY conversation_id
