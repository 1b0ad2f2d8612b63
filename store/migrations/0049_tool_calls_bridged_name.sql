ALTER TABLE {{.Table "tool_calls"}}
    ADD COLUMN IF NOT EXISTS bridged_name LowCardinality(String) COMMENT 'what the model gave to the bridge, where it is not resolved_name' AFTER bridge
