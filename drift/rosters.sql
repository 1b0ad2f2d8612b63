-- The tool lists that deploys and list changes brought, by whose list it is, each release's list once, where it was seen first.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT
    toString(server) AS server_name,
    toString(if(server = '', agent_name, '')) AS agent,
    toString(release) AS release_name,
    toString(roster_digest) AS digest,
    min(time) AS at,
    argMin(arrayMap(x -> toString(x), `tools.name`), (time, lane, seq, pos)) AS names,
    argMin(`tools.wire_digest`, (time, lane, seq, pos)) AS wire,
    argMin(`tools.definition_digest`, (time, lane, seq, pos)) AS definition,
    argMin(`tools.schema_digest`, (time, lane, seq, pos)) AS schema
FROM tool_rosters
WHERE time < hi AND reason IN ('deploy', 'list_changed') AND (server != '' OR release != '')
GROUP BY server_name, agent, release_name, digest
ORDER BY server_name, agent, at, min((lane, seq, pos))
