ALTER TABLE {{.Table "tool_calls"}}
    MATERIALIZE PROJECTION IF EXISTS version_use
