CREATE TABLE IF NOT EXISTS {{.Table "detector_progress"}}
(
    detector LowCardinality(String),
    rules UInt64 COMMENT 'hash of the settings that it judged by',
    seen_to DateTime64(3, 'UTC') COMMENT 'all that was stored before this is judged' CODEC(ZSTD(1)),
    noted_at DateTime64(6, 'UTC') COMMENT 'the row with the latest one counts, so read with FINAL' CODEC(ZSTD(1))
)
ENGINE = {{.ReplacingMergeTree "detector_progress" "noted_at"}}
ORDER BY detector
