ALTER TABLE {{.Table "tool_definitions"}}
    MATERIALIZE PROJECTION IF EXISTS definition_seen
