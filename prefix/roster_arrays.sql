-- Requests whose tools array differs from that of the request they were compared with, of the same provider and model, with both arrays:
-- those that lost most first. What was judged says which requests these are, so that no other's tools are read.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi,
changed AS
(
    SELECT conversation_id, id, argMax(compared_id, judged_at) AS other, argMax(request, judged_at) AS number, argMax(cause, judged_at) AS why,
        argMax(tuple(tokens_lost), judged_at).1 AS tokens, argMax(tuple(lost_usd), judged_at).1 AS usd
    FROM request_verdicts
    WHERE start_time >= lo AND start_time < hi AND notEmpty(`tools.name`)
    GROUP BY conversation_id, id
    HAVING other != ''
    ORDER BY tokens DESC NULLS LAST, conversation_id, number, id
    LIMIT 1000
),
requests AS
(
    SELECT toString(id) AS id, conversation_id, toString(agent_name) AS agent, toString(provider_name) AS provider, toString(request_model) AS model,
        toString(roster_digest) AS roster, arrayMap(x -> toString(x), `tools.name`) AS names, `tools.digest` AS wires
    FROM request_prefixes
    WHERE conversation_id IN (SELECT conversation_id FROM changed)
)
SELECT c.conversation_id AS conversation, a.agent AS agent, toInt64(c.number) AS number, toString(c.why) AS why, c.tokens AS tokens, c.usd AS usd,
    a.roster AS roster, b.names AS names_before, b.wires AS wires_before, a.names AS names_after, a.wires AS wires_after
FROM changed AS c
INNER JOIN requests AS a ON a.id = toString(c.id)
INNER JOIN requests AS b ON b.id = toString(c.other)
WHERE a.provider = b.provider AND a.model = b.model
ORDER BY tokens DESC NULLS LAST, conversation, number, a.id
