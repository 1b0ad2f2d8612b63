ALTER TABLE {{.Table "tool_calls"}}
    ADD COLUMN IF NOT EXISTS failed_hash UInt64
        MATERIALIZED if(outcome = 'ok' OR conversation_id = '' OR arguments_digest = '', 0, cityHash64(server, tool_name, conversation_id, arguments_digest))
        COMMENT 'of server, name, conversation and arguments of a call that failed, which calls in a loop share, and 0 for all others' CODEC(LZ4),
    ADD COLUMN IF NOT EXISTS conversation_hash UInt32
        MATERIALIZED if(conversation_id = '', 0, toUInt32(cityHash64(conversation_id)))
        COMMENT 'of the conversation, to leave most others out cheaply before ids are compared, and 0 where it is not known' CODEC(NONE)
