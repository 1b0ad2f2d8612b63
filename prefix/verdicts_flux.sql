-- What keeps changing along the conversations of a window, as the latest request of each says: those that are named, and those with the most
-- changes of the others.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT hash, conversation, agent, kinds, parts, names, requests, changes, values
FROM
(
    SELECT conversation_hash AS hash, conversation_id AS conversation, toString(agent_name) AS agent, `flux.kind` AS kinds, `flux.part` AS parts,
        `flux.name` AS names, `flux.requests` AS requests, `flux.changes` AS changes, `flux.values` AS values
    FROM notable_verdicts FINAL
    WHERE time >= lo AND time < hi AND notEmpty(`flux.kind`)
    ORDER BY start_time DESC, id
    LIMIT 1 BY conversation_hash
)
ORDER BY hash IN (SELECT arrayJoin(CAST(? AS Array(UInt64)))) DESC, arraySum(changes) DESC, hash
LIMIT ?
