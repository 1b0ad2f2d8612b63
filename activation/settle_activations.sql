-- What was loaded in some conversations.
SELECT toString(conversation_id) AS conversation, time AS at, turn AS of_turn, toString(request_id) AS request, toString(agent_name) AS agent,
    toString(via) AS by, arrayMap(x -> toString(x), loaded) AS names, arrayMap(x -> toString(x), `refused.name`) AS refused,
    arrayMap(x -> toString(x), `refused.reason`) AS reasons
FROM activations
WHERE conversation_id IN (SELECT arrayJoin(CAST(? AS Array(String))))
