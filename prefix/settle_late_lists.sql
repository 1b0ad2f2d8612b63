-- In which minutes since 1970 servers told of their own lists to nobody's conversation, in a stretch of a lane.
SELECT DISTINCT intDiv(toUnixTimestamp64Micro(time), 60000000) AS minute
FROM tool_rosters
WHERE lane = ? AND seq > ? AND seq <= ? AND conversation_id = '' AND server != '' AND release = '' AND reason IN ('list_changed', 'permission')
