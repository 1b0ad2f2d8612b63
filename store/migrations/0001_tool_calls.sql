CREATE TABLE IF NOT EXISTS {{.Table "tool_calls"}}
(
{{- template "place" .}}{{template "context" .}}
    tool_call_id String CODEC(ZSTD(1)),
    tool_name LowCardinality(String) COMMENT 'as the model gave it',
    server LowCardinality(String),
    resolved_name LowCardinality(String) COMMENT 'the tool that was meant, where it is not tool_name',
    bridge LowCardinality(String),
    resolution LowCardinality(String),
    resolution_how LowCardinality(String),
    schema_version LowCardinality(String) COMMENT 'as claimed by the caller',
    active_version LowCardinality(String),
    drift_class LowCardinality(String),
    outcome LowCardinality(String),
    error_type LowCardinality(String),
    execution LowCardinality(String),
    `validation_errors.path` Array(LowCardinality(String)),
    `validation_errors.keyword` Array(LowCardinality(String)),
    unknown_arguments Array(LowCardinality(String)),
    defaulted_arguments Array(LowCardinality(String)),
    migration LowCardinality(String),
    `argument_shape.path` Array(LowCardinality(String)),
    `argument_shape.type` Array(LowCardinality(String)),
    arguments_digest String CODEC(ZSTD(1)),
    arguments String COMMENT 'JSON, only where the owner of the agent turned that on' CODEC(ZSTD(1)),
    `made_up_ids.path` Array(LowCardinality(String)),
    `made_up_ids.digest` Array(String) CODEC(ZSTD(1)),
    `made_up_ids.value` Array(String) CODEC(ZSTD(1)),
    attempt Int64 CODEC(T64, ZSTD(1)),
    duration_seconds Float64 CODEC(ZSTD(1)),
    input_tokens Nullable(UInt64) CODEC(T64, ZSTD(1)),
    output_tokens Nullable(UInt64) CODEC(T64, ZSTD(1)),
    INDEX conversation conversation_id TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX time_range time TYPE minmax GRANULARITY 1,
{{- template "position" .}}
)
ENGINE = {{.MergeTree "tool_calls"}}
PARTITION BY part_day
ORDER BY (server, if(resolved_name = '', tool_name, resolved_name), time)
SETTINGS {{.Settings}}
