-- What the requests of some conversations offered.
SELECT toString(conversation_id) AS conversation, start_time AS at, turn AS of_turn, toString(request_id) AS request, toString(agent_name) AS agent,
    toString(roster_digest) AS digest, arrayMap(x -> toString(x), `tools.name`) AS names
FROM request_prefixes
WHERE conversation_id IN (SELECT arrayJoin(CAST(? AS Array(String)))) AND (notEmpty(`tools.name`) OR roster_digest != '')
ORDER BY conversation_id, start_time
