-- What the requests of some conversations offered. Of requests that offered the same, one has the names.
SELECT toString(conversation_id) AS conversation, start_time AS at, turn AS of_turn, toString(request_id) AS request, toString(agent_name) AS agent,
    toString(roster_digest) AS digest, cityHash64(`tools.name`) AS list,
    if(row_number() OVER (PARTITION BY cityHash64(`tools.name`)) = 1, arrayMap(x -> toString(x), `tools.name`), []) AS names
FROM request_prefixes
WHERE conversation_id IN (SELECT arrayJoin(CAST(? AS Array(String)))) AND (notEmpty(`tools.name`) OR roster_digest != '')
