-- What some rosters have, by the same hash.
SELECT cityHash64(`tools.name`, `tools.server`, `tools.deferred`, `tools.denied`, not_connected) AS content,
    arrayMap(x -> toString(x), `tools.name`) AS names, arrayMap(x -> toString(x), `tools.server`) AS servers,
    `tools.deferred` AS deferred, `tools.denied` AS denied, arrayMap(x -> toString(x), not_connected) AS away
FROM tool_rosters
WHERE server = '' AND conversation_id IN (SELECT arrayJoin(CAST(? AS Array(String)))) AND has(CAST(? AS Array(UInt64)), content)
LIMIT 1 BY content
