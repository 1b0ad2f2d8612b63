CREATE TABLE IF NOT EXISTS {{.Table "judged_calls"}}
(
    id UUID COMMENT 'event id of the call' CODEC(ZSTD(1)),
    conversation_id String CODEC(ZSTD(1)),
    conversation_hash UInt64 MATERIALIZED sipHash64(conversation_id) COMMENT 'of conversation_id, for grouping',
    judged_at DateTime64(6, 'UTC') COMMENT 'the row with the latest one counts, so read with FINAL' CODEC(Delta, ZSTD(1)),
    content UInt64 COMMENT 'hash of what was judged, which tells a changed row' CODEC(ZSTD(1)),
    time DateTime64(6, 'UTC') COMMENT 'when the event says that the call happened' CODEC(Delta, ZSTD(1)),
    ingested_at DateTime64(3, 'UTC') COMMENT 'when the call was stored' CODEC(Delta, ZSTD(1)),
    source LowCardinality(String),
    agent_name LowCardinality(String),
    agent_version LowCardinality(String),
    environment LowCardinality(String),
    team LowCardinality(String),
    provider_name LowCardinality(String),
    request_model LowCardinality(String),
    tool_name LowCardinality(String) COMMENT 'as the model gave it',
    server LowCardinality(String),
    resolved_name LowCardinality(String) COMMENT 'the tool that was meant, where it is not tool_name',
    bridge LowCardinality(String),
    resolution LowCardinality(String) COMMENT 'empty and ok for calls that were in doubt and are not any more',
    resolution_how LowCardinality(String),
    input_tokens Nullable(UInt64) CODEC(T64, ZSTD(1)),
    output_tokens Nullable(UInt64) CODEC(T64, ZSTD(1)),
    piece_hash UInt64
        MATERIALIZED if(conversation_id = '', 0, cityHash64(server, if(resolved_name = '', tool_name, resolved_name), conversation_id))
        COMMENT 'as in tool_calls' CODEC(NONE)
)
ENGINE = {{.ReplacingMergeTree "judged_calls" "judged_at"}}
PARTITION BY toDate(ingested_at)
ORDER BY (toStartOfHour(time), conversation_hash, id)
SETTINGS ttl_only_drop_parts = 1
