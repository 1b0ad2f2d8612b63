-- Requests whose tools array differs from that of the request they were compared with, of the same agent, with both arrays:
-- those that lost most first. The verdicts say which requests these are, so that the tools of other conversations are not read.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi,
changed AS
(
    SELECT conversation_id, toString(id) AS id, compared_id, request, cause, cause_names, tokens_lost, lost_usd
    FROM notable_verdicts FINAL
    WHERE time >= lo AND time < hi AND notEmpty(`tools.name`) AND compared_id != ''
    ORDER BY ifNull(tokens_lost, 0) DESC, conversation_id, request, id
    LIMIT ?
),
requests AS
(
    SELECT toString(id) AS id, toString(agent_name) AS agent, toString(provider_name) AS provider, toString(request_model) AS model,
        toString(roster_digest) AS roster, arrayMap(x -> toString(x), `tools.name`) AS names, `tools.digest` AS wires
    FROM request_prefixes
    WHERE conversation_id IN (SELECT conversation_id FROM changed)
        AND toString(id) IN (SELECT arrayJoin([id, compared_id]) FROM changed)
)
SELECT c.conversation_id AS conversation, a.agent AS agent, c.request AS number, toString(c.cause) AS why,
    arrayMap(x -> toString(x), c.cause_names) AS why_names, a.provider AS provider_after, b.provider AS provider_before, a.model AS model_after,
    b.model AS model_before, c.tokens_lost AS tokens, c.lost_usd AS usd,
    a.roster AS roster, b.names AS names_before, b.wires AS wires_before, a.names AS names_after, a.wires AS wires_after
FROM changed AS c
INNER JOIN requests AS a ON a.id = c.id
INNER JOIN requests AS b ON b.id = c.compared_id
WHERE a.agent = b.agent
ORDER BY ifNull(tokens, 0) DESC, conversation, number, a.id
SETTINGS do_not_merge_across_partitions_select_final = 1
