CREATE TABLE IF NOT EXISTS {{.Table "dead_letters"}}
(
{{- template "place" .}}
    time DateTime64(6, 'UTC') COMMENT 'when it was refused' CODEC(Delta, ZSTD(1)),
    subject LowCardinality(String) COMMENT 'subject that it came on',
    stream_seq UInt64 COMMENT 'its sequence in the event stream' CODEC(Delta, ZSTD(1)),
    stream_pos UInt64 COMMENT 'its line in that message' CODEC(T64, ZSTD(1)),
    reason LowCardinality(String),
    path LowCardinality(String) COMMENT 'JSON pointer to what was wrong',
    payload String COMMENT 'the bytes as they came' CODEC(ZSTD(3)),
{{- template "position" .}}
)
ENGINE = {{.MergeTree "dead_letters"}}
PARTITION BY part_day
ORDER BY (lane, seq, pos)
SETTINGS {{.Settings}}
