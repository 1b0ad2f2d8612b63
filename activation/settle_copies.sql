-- The conversations of a stretch of a lane in which calls came with a resolution that were judged without one, and the time of the earliest of each.
SELECT toString(conversation_id) AS conversation, toUnixTimestamp64Micro(min(time)) AS earliest
FROM tool_calls
WHERE lane = ? AND seq > ? AND seq <= ? AND resolution != '' AND id GLOBAL IN (SELECT id FROM judged_calls)
GROUP BY conversation_id
