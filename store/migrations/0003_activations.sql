CREATE TABLE IF NOT EXISTS {{.Table "activations"}}
(
{{- template "place" .}}{{template "context" .}}
    via LowCardinality(String),
    asked Array(LowCardinality(String)),
    loaded Array(LowCardinality(String)),
    `refused.name` Array(LowCardinality(String)),
    `refused.reason` Array(LowCardinality(String)),
    server LowCardinality(String),
    input_tokens Nullable(UInt64) CODEC(T64, ZSTD(1)),
    output_tokens Nullable(UInt64) CODEC(T64, ZSTD(1)),
    INDEX time_range time TYPE minmax GRANULARITY 1,
{{- template "position" .}}
)
ENGINE = {{.MergeTree "activations"}}
PARTITION BY part_day
ORDER BY (conversation_id, time)
SETTINGS {{.Settings}}
