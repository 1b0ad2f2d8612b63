ALTER TABLE {{.Table "tool_definitions"}}
    ADD PROJECTION IF NOT EXISTS definition_seen
    (
        SELECT server, agent_name, tool_name, release, schema_version, definition_digest, schema_digest, min(time), min(seq)
        GROUP BY server, agent_name, tool_name, release, schema_version, definition_digest, schema_digest
    )
