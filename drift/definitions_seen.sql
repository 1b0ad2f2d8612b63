-- When each definition of a tool was first seen, by whose it is, its release and the version that it states: a tool's definitions follow
-- each other. Answered by the projection definition_seen, which holds a row a definition and part.
SELECT
    toString(server) AS server_name,
    toString(if(server = '', agent_name, '')) AS agent,
    toString(tool_name) AS tool,
    toString(release) AS release_name,
    toString(schema_version) AS version,
    definition_digest AS digest,
    schema_digest AS schema,
    min(first_seen) AS at,
    min(number) AS first
FROM
(
    SELECT server, agent_name, tool_name, release, schema_version, definition_digest, schema_digest, min(time) AS first_seen, min(seq) AS number
    FROM tool_definitions
    GROUP BY server, agent_name, tool_name, release, schema_version, definition_digest, schema_digest
)
WHERE digest != ''
GROUP BY server_name, agent, tool, release_name, version, digest, schema
HAVING at < fromUnixTimestamp64Micro(toInt64(?), 'UTC')
ORDER BY server_name, agent, tool, at, first, digest, release_name, version
