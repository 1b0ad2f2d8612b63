CREATE TABLE IF NOT EXISTS {{.Table "findings"}}
(
    fingerprint String COMMENT 'names the fact: detector, rule and subject' CODEC(ZSTD(1)),
    version UInt64 COMMENT 'the row with the highest one is the finding, so read with FINAL' CODEC(ZSTD(1)),
    detector LowCardinality(String),
    rule LowCardinality(String),
    severity LowCardinality(String),
    server LowCardinality(String),
    tool LowCardinality(String),
    model LowCardinality(String),
    agent LowCardinality(String),
    conversation String CODEC(ZSTD(1)),
    release LowCardinality(String),
    window_from DateTime64(6, 'UTC') CODEC(ZSTD(1)),
    window_to DateTime64(6, 'UTC') CODEC(ZSTD(1)),
    numbers Map(LowCardinality(String), Float64) CODEC(ZSTD(1)),
    title String CODEC(ZSTD(1)),
    action String CODEC(ZSTD(1)),
    first_seen DateTime64(6, 'UTC') CODEC(ZSTD(1)),
    last_seen DateTime64(6, 'UTC') CODEC(ZSTD(1)),
    state LowCardinality(String),
    muted_until DateTime64(6, 'UTC') CODEC(ZSTD(1)),
    runbook LowCardinality(String)
)
ENGINE = {{.ReplacingMergeTree "findings" "version"}}
ORDER BY fingerprint
