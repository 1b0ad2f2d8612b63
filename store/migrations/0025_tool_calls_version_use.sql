ALTER TABLE {{.Table "tool_calls"}}
    ADD PROJECTION IF NOT EXISTS version_use
    (
        SELECT toStartOfHour(time) AS hour, server, tool_name, resolved_name, used_version, schema_version, count()
        GROUP BY hour, server, tool_name, resolved_name, used_version, schema_version
    )
