-- The rosters of some conversations, or with an empty one among them of some agents, each with a hash of what looking names up depends on.
SELECT toString(conversation_id) AS conversation, time AS at, turn AS of_turn, toString(request_id) AS request, toString(agent_name) AS agent,
    toString(if(agent_name = '', source, agent_name)) AS sender, toString(agent_version) AS version, toString(environment) AS env,
    toString(roster_digest) AS digest, cityHash64(`tools.name`, `tools.server`, `tools.deferred`, `tools.denied`, not_connected) AS content,
    text_digest = '' AND reason = 'unknown' AS array
FROM tool_rosters
WHERE server = '' AND conversation_id IN (SELECT arrayJoin(CAST(? AS Array(String)))) AND (conversation_id != '' OR has(CAST(? AS Array(String)), sender))
