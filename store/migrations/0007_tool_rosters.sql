CREATE TABLE IF NOT EXISTS {{.Table "tool_rosters"}}
(
{{- template "place" .}}{{template "context" .}}
    roster_digest String CODEC(ZSTD(1)),
    reason LowCardinality(String),
    `tools.name` Array(LowCardinality(String)),
    `tools.server` Array(LowCardinality(String)),
    `tools.wire_digest` Array(String) CODEC(ZSTD(3)),
    `tools.definition_digest` Array(String) CODEC(ZSTD(3)),
    `tools.schema_digest` Array(String) CODEC(ZSTD(3)),
    `tools.deferred` Array(Bool) CODEC(ZSTD(1)),
    `tools.denied` Array(Bool) CODEC(ZSTD(1)),
    `tools.summary_length` Array(Int64) CODEC(ZSTD(1)),
    `tools.summary_cut` Array(Bool) CODEC(ZSTD(1)),
    server LowCardinality(String),
    release LowCardinality(String),
    text_digest String CODEC(ZSTD(1)),
    text_length Int64 CODEC(T64, ZSTD(1)),
    not_connected Array(LowCardinality(String)),
    INDEX time_range time TYPE minmax GRANULARITY 1,
{{- template "position" .}}
)
ENGINE = {{.MergeTree "tool_rosters"}}
PARTITION BY part_day
ORDER BY (server, conversation_id, time)
SETTINGS {{.Settings}}
