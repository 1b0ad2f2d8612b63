-- The rosters of the conversations in which a roster's text changed, one after the other as they were in force. Those before the window are
-- needed to compare with. Each version of an agent has its own: another version is a deploy. Only the conversations that have more than one text are read with their tools.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT conversation_id AS conversation, toString(agent_name) AS agent, toString(agent_version) AS of_version, toString(server) AS of_server, time AS at, time >= lo AS inside,
    toString(reason) AS why, text_digest AS text, arrayMap(x -> toString(x), `tools.name`) AS names,
    arrayMap(x -> substring(x, 1, 32), `tools.wire_digest`) AS wires
FROM tool_rosters
WHERE time < hi AND release = '' AND text_digest != '' AND conversation_id GLOBAL IN (
    SELECT conversation_id
    FROM tool_rosters
    WHERE time < hi AND release = '' AND text_digest != '' AND conversation_id != ''
    GROUP BY conversation_id
    HAVING max(time) >= lo AND uniqExact(agent_name, agent_version, server, text_digest) > uniqExact(agent_name, agent_version, server)
)
ORDER BY conversation, agent, of_version, of_server, time, lane, seq, pos
