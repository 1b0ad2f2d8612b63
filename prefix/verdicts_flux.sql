-- What keeps changing along the conversations of a window, as the latest request of each says: those that are named, and of the others
-- those that could have read most or have the most changes.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT hash, conversation, agent, kinds, parts, names, requests, changes, values, could_read, could_read_usd
FROM
(
    SELECT conversation_hash AS hash, conversation_id AS conversation, toString(agent_name) AS agent, `flux.kind` AS kinds, `flux.part` AS parts,
        `flux.name` AS names, `flux.requests` AS requests, `flux.changes` AS changes, `flux.values` AS values,
        `flux.could_read` AS could_read, `flux.could_read_usd` AS could_read_usd
    FROM notable_verdicts FINAL
    PREWHERE id IN (SELECT id FROM notable_verdicts WHERE time >= lo AND time < hi AND notEmpty(`flux.kind`))
    WHERE time >= lo AND time < hi AND notEmpty(`flux.kind`)
    ORDER BY start_time DESC, id
    LIMIT 1 BY conversation_hash
)
ORDER BY hash IN (SELECT arrayJoin(CAST(? AS Array(UInt64)))) DESC, arraySum(could_read) DESC, arraySum(changes) DESC, hash
LIMIT ?
