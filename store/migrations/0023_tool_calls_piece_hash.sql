ALTER TABLE {{.Table "tool_calls"}}
    ADD COLUMN IF NOT EXISTS piece_hash UInt64
        MATERIALIZED if(conversation_id = '', 0, cityHash64(server, if(resolved_name = '', tool_name, resolved_name), conversation_id))
        COMMENT 'of server, tool and conversation, which attempts at one piece of work share, and 0 where the conversation is not known' CODEC(NONE)
