-- The rosters of no conversation that a stretch of a lane has.
SELECT DISTINCT toString(if(agent_name = '', source, agent_name)) AS agent, toString(agent_version) AS version, toString(environment) AS env,
    toUnixTimestamp64Micro(time) AS at
FROM tool_rosters
WHERE lane = ? AND seq > ? AND seq <= ? AND conversation_id = '' AND server = ''
