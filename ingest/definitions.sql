-- Every version of every tool that is known, the oldest first: what calls are judged against after a restart.
SELECT server, tool_name, schema_version, schema_digest, argMin(definition, tool_definitions.time) AS definition
FROM tool_definitions
GROUP BY server, tool_name, schema_version, schema_digest
ORDER BY min(tool_definitions.time), server, tool_name
