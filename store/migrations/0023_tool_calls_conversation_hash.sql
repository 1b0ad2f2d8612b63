ALTER TABLE {{.Table "tool_calls"}}
    ADD COLUMN IF NOT EXISTS conversation_hash UInt64 MATERIALIZED cityHash64(conversation_id)
        COMMENT 'what queries over many conversations read in place of the id' CODEC(NONE) AFTER conversation_id
