CREATE TABLE IF NOT EXISTS {{.Table "looked_up_calls"}}
(
    lane LowCardinality(String) COMMENT 'lane, seq and pos are those of the call in tool_calls',
    seq UInt64 CODEC(Delta, ZSTD(1)),
    pos UInt32 CODEC(T64, ZSTD(1)),
    judged_at DateTime64(6, 'UTC') COMMENT 'the row with the latest one counts, so read with FINAL' CODEC(Delta, ZSTD(1)),
    time DateTime64(6, 'UTC') COMMENT 'when the event says that the call happened' CODEC(Delta, ZSTD(1)),
    ingested_at DateTime64(3, 'UTC') COMMENT 'when the call was stored' CODEC(Delta, ZSTD(1)),
    known Bool COMMENT 'a roster was in force, and the name was looked up in it',
    INDEX time_range time TYPE minmax GRANULARITY 1
)
ENGINE = {{.ReplacingMergeTree "looked_up_calls" "judged_at"}}
PARTITION BY toDate(ingested_at)
ORDER BY (lane, seq, pos)
SETTINGS ttl_only_drop_parts = 1
