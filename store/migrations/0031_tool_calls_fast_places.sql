ALTER TABLE {{.Table "tool_calls"}}
    MODIFY COLUMN time CODEC(T64, LZ4),
    MODIFY COLUMN seq CODEC(T64, ZSTD(1)),
    ADD COLUMN IF NOT EXISTS series_hash UInt64
        MATERIALIZED cityHash64(server, if(resolved_name = '', tool_name, resolved_name), active_version)
        COMMENT 'of server, tool and active version, which errors in a row share' CODEC(LZ4)
