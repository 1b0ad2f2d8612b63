-- Every version of every tool that is known, in the order in which they were first seen, each with its newest definition: what calls are judged
-- by after a restart, and what fills a registry that is empty.
SELECT server, tool_name, schema_version, schema_digest,
       argMax(definition_digest, tool_definitions.time) AS definition_digest,
       argMax(wire_digest, tool_definitions.time) AS wire_digest,
       argMax(release, tool_definitions.time) AS release,
       argMax(definition, tool_definitions.time) AS definition,
       toUnixTimestamp64Micro(min(tool_definitions.time)) AS first_micros
FROM tool_definitions
GROUP BY server, tool_name, schema_version, schema_digest
ORDER BY first_micros, server, tool_name, schema_version, schema_digest
