CREATE TABLE IF NOT EXISTS {{.Table "client_heartbeats"}}
(
{{- template "place" .}}{{template "context" .}}
    client_id String CODEC(ZSTD(1)),
    client_version LowCardinality(String),
    emitted Int64 CODEC(Delta, ZSTD(1)),
    acked Int64 CODEC(Delta, ZSTD(1)),
    `dropped.reason` Array(LowCardinality(String)),
    `dropped.count` Array(Int64) CODEC(ZSTD(1)),
    queue_events Int64 CODEC(T64, ZSTD(1)),
    queue_bytes Int64 CODEC(T64, ZSTD(1)),
    reconnects Int64 CODEC(T64, ZSTD(1)),
    INDEX time_range time TYPE minmax GRANULARITY 1,
{{- template "position" .}}
)
ENGINE = {{.MergeTree "client_heartbeats"}}
PARTITION BY part_day
ORDER BY (client_id, time)
SETTINGS {{.Settings}}
