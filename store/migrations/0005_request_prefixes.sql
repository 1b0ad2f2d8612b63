CREATE TABLE IF NOT EXISTS {{.Table "request_prefixes"}}
(
{{- template "place" .}}{{template "context" .}}
    `tools.name` Array(LowCardinality(String)),
    `tools.digest` Array(String) CODEC(ZSTD(3)),
    tools_known Bool,
    system Array(String) CODEC(ZSTD(3)),
    system_known Bool,
    messages Array(String) CODEC(ZSTD(3)),
    messages_known Bool,
    `params.name` Array(LowCardinality(String)),
    `params.digest` Array(String) CODEC(ZSTD(3)),
    `breakpoints.part` Array(LowCardinality(String)),
    `breakpoints.index` Array(Int64) CODEC(ZSTD(1)),
    `breakpoints.ttl_seconds` Array(Int64) CODEC(ZSTD(1)),
    roster_digest LowCardinality(String),
    uncached_input_tokens Nullable(UInt64) CODEC(T64, ZSTD(1)),
    cache_read_input_tokens Nullable(UInt64) CODEC(T64, ZSTD(1)),
    cache_write_5m_input_tokens Nullable(UInt64) CODEC(T64, ZSTD(1)),
    cache_write_1h_input_tokens Nullable(UInt64) CODEC(T64, ZSTD(1)),
    output_tokens Nullable(UInt64) CODEC(T64, ZSTD(1)),
    provider_diagnosis String CODEC(ZSTD(1)),
    status LowCardinality(String),
    http_status Int64 CODEC(T64, ZSTD(1)),
    error_type LowCardinality(String),
    response_model LowCardinality(String),
    response_id String CODEC(ZSTD(1)),
    finish_reason LowCardinality(String),
    start_time DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    end_time DateTime64(6, 'UTC') COMMENT '1970-01-01 where it is not known' CODEC(Delta, ZSTD(1)),
    stated_cost_usd Nullable(Float64) CODEC(ZSTD(1)),
    INDEX time_range time TYPE minmax GRANULARITY 1,
{{- template "position" .}}
)
ENGINE = {{.MergeTree "request_prefixes"}}
PARTITION BY part_day
ORDER BY (conversation_id, start_time)
SETTINGS {{.Settings}}
