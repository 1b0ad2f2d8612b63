-- What keeps changing along conversations, as the latest request of each says.
SELECT conversation, agent, toString(kind) AS kind, toString(part) AS part, toString(name) AS name, requests, changes, vals AS values, could_read, could_read_usd
FROM
(
    SELECT
        v.conversation_id AS conversation, toString(v.agent_name) AS agent, v.`flux.kind` AS kinds, v.`flux.part` AS parts, v.`flux.name` AS names,
        v.`flux.requests` AS of_requests, v.`flux.changes` AS of_changes, v.`flux.values` AS of_values, v.`flux.could_read` AS of_read,
        v.`flux.could_read_usd` AS of_usd
    FROM notable_verdicts AS v FINAL
    PREWHERE v.id IN (SELECT n.id FROM notable_verdicts AS n WHERE $__timeFilter(n.time) AND notEmpty(n.`flux.kind`))
    WHERE $__timeFilter(v.time) AND notEmpty(v.`flux.kind`) AND {scope of requests}
    ORDER BY v.start_time DESC, v.id
    LIMIT 1 BY v.conversation_hash
)
ARRAY JOIN kinds AS kind, parts AS part, names AS name, of_requests AS requests, of_changes AS changes, of_values AS vals, of_read AS could_read,
    of_usd AS could_read_usd
ORDER BY could_read DESC, changes DESC, conversation, part, name
LIMIT 100
