CREATE TABLE IF NOT EXISTS {{.Table "detector_progress"}}
(
    detector LowCardinality(String),
    lane String COMMENT 'stream creation time and subject, EPOCH/SUBJECT' CODEC(ZSTD(1)),
    rules UInt64 COMMENT 'hash of the settings that it judged by',
    seq UInt64 COMMENT 'stream sequence up to which all of the lane is judged',
    noted_at DateTime64(6, 'UTC') COMMENT 'the row with the latest one counts, so read with FINAL' CODEC(ZSTD(1))
)
ENGINE = {{.ReplacingMergeTree "detector_progress" "noted_at"}}
ORDER BY (detector, lane)
