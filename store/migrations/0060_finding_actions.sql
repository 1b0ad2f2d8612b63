CREATE TABLE IF NOT EXISTS {{.Table "finding_actions"}}
(
    fingerprint String COMMENT 'of the finding' CODEC(ZSTD(1)),
    at DateTime64(6, 'UTC') COMMENT 'the latest action of a finding says where it is' CODEC(ZSTD(1)),
    id String COMMENT 'tells actions apart, and orders those of one time' CODEC(ZSTD(1)),
    act LowCardinality(String) COMMENT 'acknowledge, mute, resolve or reopen',
    until DateTime64(6, 'UTC') COMMENT 'when a mute ends' CODEC(ZSTD(1)),
    severity LowCardinality(String) COMMENT 'that the finding had then',
    done_by String COMMENT 'a person, analyzer or breaker' CODEC(ZSTD(1)),
    why String CODEC(ZSTD(1))
)
ENGINE = {{.MergeTree "finding_actions"}}
ORDER BY (fingerprint, at, id)
