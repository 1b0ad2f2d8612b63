CREATE TABLE IF NOT EXISTS {{.Table "tool_changes"}}
(
    bucket LowCardinality(String) COMMENT 'tooltrail_registry or tooltrail_breaker',
    epoch LowCardinality(String) COMMENT 'creation time of the bucket: revisions of different epochs are not comparable',
    key String COMMENT 'key in the bucket' CODEC(ZSTD(1)),
    revision UInt64 COMMENT 'revision of the bucket that this change made' CODEC(Delta, ZSTD(1)),
    at DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    server LowCardinality(String),
    tool LowCardinality(String),
    agent LowCardinality(String) COMMENT 'where the change is for one agent alone',
    action LowCardinality(String),
    version LowCardinality(String),
    changed_by LowCardinality(String),
    reason String CODEC(ZSTD(1)),
    document String COMMENT 'JSON, as the change left it' CODEC(ZSTD(3))
)
ENGINE = {{.ReplacingMergeTree "tool_changes" "revision"}}
ORDER BY (bucket, server, tool, epoch, key, revision)
