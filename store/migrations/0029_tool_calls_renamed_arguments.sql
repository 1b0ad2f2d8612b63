ALTER TABLE {{.Table "tool_calls"}}
    ADD COLUMN IF NOT EXISTS renamed_arguments Array(LowCardinality(String)) COMMENT 'what the call gave in the place of defaulted ones' AFTER defaulted_arguments
