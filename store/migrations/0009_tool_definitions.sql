CREATE TABLE IF NOT EXISTS {{.Table "tool_definitions"}}
(
{{- template "place" .}}{{template "context" .}}
    tool_name LowCardinality(String),
    server LowCardinality(String),
    schema_version LowCardinality(String),
    release LowCardinality(String),
    wire_digest String CODEC(ZSTD(1)),
    definition_digest String CODEC(ZSTD(1)),
    schema_digest String CODEC(ZSTD(1)),
    definition String COMMENT 'JSON, as it was sent' CODEC(ZSTD(3)),
    INDEX time_range time TYPE minmax GRANULARITY 1,
{{- template "position" .}}
)
ENGINE = {{.MergeTree "tool_definitions"}}
PARTITION BY part_day
ORDER BY (server, tool_name, time)
SETTINGS {{.Settings}}
