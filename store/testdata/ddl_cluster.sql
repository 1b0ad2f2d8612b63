CREATE DATABASE IF NOT EXISTS `tooltrail` ON CLUSTER `main`;

CREATE TABLE IF NOT EXISTS schema_migrations ON CLUSTER `main` (name String, applied_at DateTime64(3, 'UTC'))
ENGINE = ReplicatedMergeTree('/clickhouse/tables/tooltrail/schema_migrations', '{shard}-{replica}') ORDER BY name;

-- 0001_tool_calls
CREATE TABLE IF NOT EXISTS tool_calls_local ON CLUSTER `main`
(
    lane LowCardinality(String) COMMENT 'stream creation time and subject, EPOCH/SUBJECT',
    seq UInt64 COMMENT 'stream sequence of the message' CODEC(Delta, ZSTD(1)),
    pos UInt32 COMMENT 'line of the event in its message, from 0' CODEC(T64, ZSTD(1)),
    ingested_at DateTime64(3, 'UTC') COMMENT 'when the batch was inserted, the same for all its rows' CODEC(Delta, ZSTD(1)),
    part_day Date COMMENT 'partition: the day on which the batch before this one was inserted' CODEC(ZSTD(1)),
    id UUID COMMENT 'event id' CODEC(ZSTD(1)),
    source LowCardinality(String),
    time DateTime64(6, 'UTC') COMMENT 'when it happened' CODEC(Delta, ZSTD(1)),
    agent_name LowCardinality(String),
    agent_version LowCardinality(String),
    environment LowCardinality(String),
    team LowCardinality(String),
    conversation_id String CODEC(ZSTD(1)),
    turn Int64 CODEC(T64, ZSTD(1)),
    request_id String CODEC(ZSTD(1)),
    provider_name LowCardinality(String),
    request_model LowCardinality(String),
    trace_id String CODEC(ZSTD(1)),
    span_id String CODEC(ZSTD(1)),
    cohort LowCardinality(String),
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
    INDEX seq_range seq TYPE minmax GRANULARITY 1,
    PROJECTION lane_position (SELECT lane, max(seq), max(ingested_at) GROUP BY lane)
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/tooltrail/tool_calls_local', '{replica}')
PARTITION BY part_day
ORDER BY (server, if(resolved_name = '', tool_name, resolved_name), time)
SETTINGS replicated_deduplication_window = 10000, ttl_only_drop_parts = 1, replicated_deduplication_window_seconds = 2419200;

-- 0002_tool_calls_distributed
CREATE TABLE IF NOT EXISTS tool_calls ON CLUSTER `main` AS tool_calls_local
ENGINE = Distributed(`main`, tooltrail, tool_calls_local, cityHash64(lane));

-- 0003_activations
CREATE TABLE IF NOT EXISTS activations_local ON CLUSTER `main`
(
    lane LowCardinality(String) COMMENT 'stream creation time and subject, EPOCH/SUBJECT',
    seq UInt64 COMMENT 'stream sequence of the message' CODEC(Delta, ZSTD(1)),
    pos UInt32 COMMENT 'line of the event in its message, from 0' CODEC(T64, ZSTD(1)),
    ingested_at DateTime64(3, 'UTC') COMMENT 'when the batch was inserted, the same for all its rows' CODEC(Delta, ZSTD(1)),
    part_day Date COMMENT 'partition: the day on which the batch before this one was inserted' CODEC(ZSTD(1)),
    id UUID COMMENT 'event id' CODEC(ZSTD(1)),
    source LowCardinality(String),
    time DateTime64(6, 'UTC') COMMENT 'when it happened' CODEC(Delta, ZSTD(1)),
    agent_name LowCardinality(String),
    agent_version LowCardinality(String),
    environment LowCardinality(String),
    team LowCardinality(String),
    conversation_id String CODEC(ZSTD(1)),
    turn Int64 CODEC(T64, ZSTD(1)),
    request_id String CODEC(ZSTD(1)),
    provider_name LowCardinality(String),
    request_model LowCardinality(String),
    trace_id String CODEC(ZSTD(1)),
    span_id String CODEC(ZSTD(1)),
    cohort LowCardinality(String),
    via LowCardinality(String),
    asked Array(LowCardinality(String)),
    loaded Array(LowCardinality(String)),
    `refused.name` Array(LowCardinality(String)),
    `refused.reason` Array(LowCardinality(String)),
    server LowCardinality(String),
    input_tokens Nullable(UInt64) CODEC(T64, ZSTD(1)),
    output_tokens Nullable(UInt64) CODEC(T64, ZSTD(1)),
    INDEX time_range time TYPE minmax GRANULARITY 1,
    INDEX seq_range seq TYPE minmax GRANULARITY 1,
    PROJECTION lane_position (SELECT lane, max(seq), max(ingested_at) GROUP BY lane)
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/tooltrail/activations_local', '{replica}')
PARTITION BY part_day
ORDER BY (conversation_id, time)
SETTINGS replicated_deduplication_window = 10000, ttl_only_drop_parts = 1, replicated_deduplication_window_seconds = 2419200;

-- 0004_activations_distributed
CREATE TABLE IF NOT EXISTS activations ON CLUSTER `main` AS activations_local
ENGINE = Distributed(`main`, tooltrail, activations_local, cityHash64(lane));

-- 0005_request_prefixes
CREATE TABLE IF NOT EXISTS request_prefixes_local ON CLUSTER `main`
(
    lane LowCardinality(String) COMMENT 'stream creation time and subject, EPOCH/SUBJECT',
    seq UInt64 COMMENT 'stream sequence of the message' CODEC(Delta, ZSTD(1)),
    pos UInt32 COMMENT 'line of the event in its message, from 0' CODEC(T64, ZSTD(1)),
    ingested_at DateTime64(3, 'UTC') COMMENT 'when the batch was inserted, the same for all its rows' CODEC(Delta, ZSTD(1)),
    part_day Date COMMENT 'partition: the day on which the batch before this one was inserted' CODEC(ZSTD(1)),
    id UUID COMMENT 'event id' CODEC(ZSTD(1)),
    source LowCardinality(String),
    time DateTime64(6, 'UTC') COMMENT 'when it happened' CODEC(Delta, ZSTD(1)),
    agent_name LowCardinality(String),
    agent_version LowCardinality(String),
    environment LowCardinality(String),
    team LowCardinality(String),
    conversation_id String CODEC(ZSTD(1)),
    turn Int64 CODEC(T64, ZSTD(1)),
    request_id String CODEC(ZSTD(1)),
    provider_name LowCardinality(String),
    request_model LowCardinality(String),
    trace_id String CODEC(ZSTD(1)),
    span_id String CODEC(ZSTD(1)),
    cohort LowCardinality(String),
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
    INDEX seq_range seq TYPE minmax GRANULARITY 1,
    PROJECTION lane_position (SELECT lane, max(seq), max(ingested_at) GROUP BY lane)
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/tooltrail/request_prefixes_local', '{replica}')
PARTITION BY part_day
ORDER BY (conversation_id, start_time)
SETTINGS replicated_deduplication_window = 10000, ttl_only_drop_parts = 1, replicated_deduplication_window_seconds = 2419200;

-- 0006_request_prefixes_distributed
CREATE TABLE IF NOT EXISTS request_prefixes ON CLUSTER `main` AS request_prefixes_local
ENGINE = Distributed(`main`, tooltrail, request_prefixes_local, cityHash64(lane));

-- 0007_tool_rosters
CREATE TABLE IF NOT EXISTS tool_rosters_local ON CLUSTER `main`
(
    lane LowCardinality(String) COMMENT 'stream creation time and subject, EPOCH/SUBJECT',
    seq UInt64 COMMENT 'stream sequence of the message' CODEC(Delta, ZSTD(1)),
    pos UInt32 COMMENT 'line of the event in its message, from 0' CODEC(T64, ZSTD(1)),
    ingested_at DateTime64(3, 'UTC') COMMENT 'when the batch was inserted, the same for all its rows' CODEC(Delta, ZSTD(1)),
    part_day Date COMMENT 'partition: the day on which the batch before this one was inserted' CODEC(ZSTD(1)),
    id UUID COMMENT 'event id' CODEC(ZSTD(1)),
    source LowCardinality(String),
    time DateTime64(6, 'UTC') COMMENT 'when it happened' CODEC(Delta, ZSTD(1)),
    agent_name LowCardinality(String),
    agent_version LowCardinality(String),
    environment LowCardinality(String),
    team LowCardinality(String),
    conversation_id String CODEC(ZSTD(1)),
    turn Int64 CODEC(T64, ZSTD(1)),
    request_id String CODEC(ZSTD(1)),
    provider_name LowCardinality(String),
    request_model LowCardinality(String),
    trace_id String CODEC(ZSTD(1)),
    span_id String CODEC(ZSTD(1)),
    cohort LowCardinality(String),
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
    INDEX seq_range seq TYPE minmax GRANULARITY 1,
    PROJECTION lane_position (SELECT lane, max(seq), max(ingested_at) GROUP BY lane)
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/tooltrail/tool_rosters_local', '{replica}')
PARTITION BY part_day
ORDER BY (server, conversation_id, time)
SETTINGS replicated_deduplication_window = 10000, ttl_only_drop_parts = 1, replicated_deduplication_window_seconds = 2419200;

-- 0008_tool_rosters_distributed
CREATE TABLE IF NOT EXISTS tool_rosters ON CLUSTER `main` AS tool_rosters_local
ENGINE = Distributed(`main`, tooltrail, tool_rosters_local, cityHash64(lane));

-- 0009_tool_definitions
CREATE TABLE IF NOT EXISTS tool_definitions_local ON CLUSTER `main`
(
    lane LowCardinality(String) COMMENT 'stream creation time and subject, EPOCH/SUBJECT',
    seq UInt64 COMMENT 'stream sequence of the message' CODEC(Delta, ZSTD(1)),
    pos UInt32 COMMENT 'line of the event in its message, from 0' CODEC(T64, ZSTD(1)),
    ingested_at DateTime64(3, 'UTC') COMMENT 'when the batch was inserted, the same for all its rows' CODEC(Delta, ZSTD(1)),
    part_day Date COMMENT 'partition: the day on which the batch before this one was inserted' CODEC(ZSTD(1)),
    id UUID COMMENT 'event id' CODEC(ZSTD(1)),
    source LowCardinality(String),
    time DateTime64(6, 'UTC') COMMENT 'when it happened' CODEC(Delta, ZSTD(1)),
    agent_name LowCardinality(String),
    agent_version LowCardinality(String),
    environment LowCardinality(String),
    team LowCardinality(String),
    conversation_id String CODEC(ZSTD(1)),
    turn Int64 CODEC(T64, ZSTD(1)),
    request_id String CODEC(ZSTD(1)),
    provider_name LowCardinality(String),
    request_model LowCardinality(String),
    trace_id String CODEC(ZSTD(1)),
    span_id String CODEC(ZSTD(1)),
    cohort LowCardinality(String),
    tool_name LowCardinality(String),
    server LowCardinality(String),
    schema_version LowCardinality(String),
    release LowCardinality(String),
    wire_digest String CODEC(ZSTD(1)),
    definition_digest String CODEC(ZSTD(1)),
    schema_digest String CODEC(ZSTD(1)),
    definition String COMMENT 'JSON, as it was sent' CODEC(ZSTD(3)),
    INDEX time_range time TYPE minmax GRANULARITY 1,
    INDEX seq_range seq TYPE minmax GRANULARITY 1,
    PROJECTION lane_position (SELECT lane, max(seq), max(ingested_at) GROUP BY lane)
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/tooltrail/tool_definitions_local', '{replica}')
PARTITION BY part_day
ORDER BY (server, tool_name, time)
SETTINGS replicated_deduplication_window = 10000, ttl_only_drop_parts = 1, replicated_deduplication_window_seconds = 2419200;

-- 0010_tool_definitions_distributed
CREATE TABLE IF NOT EXISTS tool_definitions ON CLUSTER `main` AS tool_definitions_local
ENGINE = Distributed(`main`, tooltrail, tool_definitions_local, cityHash64(lane));

-- 0011_client_heartbeats
CREATE TABLE IF NOT EXISTS client_heartbeats_local ON CLUSTER `main`
(
    lane LowCardinality(String) COMMENT 'stream creation time and subject, EPOCH/SUBJECT',
    seq UInt64 COMMENT 'stream sequence of the message' CODEC(Delta, ZSTD(1)),
    pos UInt32 COMMENT 'line of the event in its message, from 0' CODEC(T64, ZSTD(1)),
    ingested_at DateTime64(3, 'UTC') COMMENT 'when the batch was inserted, the same for all its rows' CODEC(Delta, ZSTD(1)),
    part_day Date COMMENT 'partition: the day on which the batch before this one was inserted' CODEC(ZSTD(1)),
    id UUID COMMENT 'event id' CODEC(ZSTD(1)),
    source LowCardinality(String),
    time DateTime64(6, 'UTC') COMMENT 'when it happened' CODEC(Delta, ZSTD(1)),
    agent_name LowCardinality(String),
    agent_version LowCardinality(String),
    environment LowCardinality(String),
    team LowCardinality(String),
    conversation_id String CODEC(ZSTD(1)),
    turn Int64 CODEC(T64, ZSTD(1)),
    request_id String CODEC(ZSTD(1)),
    provider_name LowCardinality(String),
    request_model LowCardinality(String),
    trace_id String CODEC(ZSTD(1)),
    span_id String CODEC(ZSTD(1)),
    cohort LowCardinality(String),
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
    INDEX seq_range seq TYPE minmax GRANULARITY 1,
    PROJECTION lane_position (SELECT lane, max(seq), max(ingested_at) GROUP BY lane)
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/tooltrail/client_heartbeats_local', '{replica}')
PARTITION BY part_day
ORDER BY (client_id, time)
SETTINGS replicated_deduplication_window = 10000, ttl_only_drop_parts = 1, replicated_deduplication_window_seconds = 2419200;

-- 0012_client_heartbeats_distributed
CREATE TABLE IF NOT EXISTS client_heartbeats ON CLUSTER `main` AS client_heartbeats_local
ENGINE = Distributed(`main`, tooltrail, client_heartbeats_local, cityHash64(lane));

-- 0013_dead_letters
CREATE TABLE IF NOT EXISTS dead_letters_local ON CLUSTER `main`
(
    lane LowCardinality(String) COMMENT 'stream creation time and subject, EPOCH/SUBJECT',
    seq UInt64 COMMENT 'stream sequence of the message' CODEC(Delta, ZSTD(1)),
    pos UInt32 COMMENT 'line of the event in its message, from 0' CODEC(T64, ZSTD(1)),
    ingested_at DateTime64(3, 'UTC') COMMENT 'when the batch was inserted, the same for all its rows' CODEC(Delta, ZSTD(1)),
    part_day Date COMMENT 'partition: the day on which the batch before this one was inserted' CODEC(ZSTD(1)),
    id UUID COMMENT 'event id' CODEC(ZSTD(1)),
    time DateTime64(6, 'UTC') COMMENT 'when it was refused' CODEC(Delta, ZSTD(1)),
    subject LowCardinality(String) COMMENT 'subject that it came on',
    stream_seq UInt64 COMMENT 'its sequence in the event stream' CODEC(Delta, ZSTD(1)),
    stream_pos UInt64 COMMENT 'its line in that message' CODEC(T64, ZSTD(1)),
    reason LowCardinality(String),
    path LowCardinality(String) COMMENT 'JSON pointer to what was wrong',
    payload String COMMENT 'the bytes as they came' CODEC(ZSTD(3)),
    INDEX seq_range seq TYPE minmax GRANULARITY 1,
    PROJECTION lane_position (SELECT lane, max(seq), max(ingested_at) GROUP BY lane)
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/tooltrail/dead_letters_local', '{replica}')
PARTITION BY part_day
ORDER BY (lane, seq, pos)
SETTINGS replicated_deduplication_window = 10000, ttl_only_drop_parts = 1, replicated_deduplication_window_seconds = 2419200;

-- 0014_dead_letters_distributed
CREATE TABLE IF NOT EXISTS dead_letters ON CLUSTER `main` AS dead_letters_local
ENGINE = Distributed(`main`, tooltrail, dead_letters_local, cityHash64(lane));

-- 0015_findings
CREATE TABLE IF NOT EXISTS findings_local ON CLUSTER `main`
(
    fingerprint String COMMENT 'names the fact: detector, rule and subject' CODEC(ZSTD(1)),
    version UInt64 COMMENT 'the row with the highest one is the finding, so read with FINAL' CODEC(ZSTD(1)),
    detector LowCardinality(String),
    rule LowCardinality(String),
    severity LowCardinality(String),
    server LowCardinality(String),
    tool LowCardinality(String),
    model LowCardinality(String),
    agent LowCardinality(String),
    conversation String CODEC(ZSTD(1)),
    release LowCardinality(String),
    window_from DateTime64(6, 'UTC') CODEC(ZSTD(1)),
    window_to DateTime64(6, 'UTC') CODEC(ZSTD(1)),
    numbers Map(LowCardinality(String), Float64) CODEC(ZSTD(1)),
    title String CODEC(ZSTD(1)),
    action String CODEC(ZSTD(1)),
    first_seen DateTime64(6, 'UTC') CODEC(ZSTD(1)),
    last_seen DateTime64(6, 'UTC') CODEC(ZSTD(1)),
    state LowCardinality(String),
    muted_until DateTime64(6, 'UTC') CODEC(ZSTD(1)),
    runbook LowCardinality(String)
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/tooltrail/findings_local', '{replica}', version)
ORDER BY fingerprint;

-- 0016_findings_distributed
CREATE TABLE IF NOT EXISTS findings ON CLUSTER `main` AS findings_local
ENGINE = Distributed(`main`, tooltrail, findings_local, cityHash64(fingerprint));

-- 0017_tool_calls_used_version
ALTER TABLE tool_calls_local ON CLUSTER `main`
    ADD COLUMN IF NOT EXISTS used_version LowCardinality(String) COMMENT 'claimed or recognised' AFTER active_version,
    ADD COLUMN IF NOT EXISTS `validation_errors.message` Array(String) CODEC(ZSTD(1)) AFTER `validation_errors.keyword`;

-- 0018_tool_calls_distributed_used_version
ALTER TABLE tool_calls ON CLUSTER `main`
    ADD COLUMN IF NOT EXISTS used_version LowCardinality(String) AFTER active_version,
    ADD COLUMN IF NOT EXISTS `validation_errors.message` Array(String) AFTER `validation_errors.keyword`;

-- 0019_findings_example
ALTER TABLE findings_local ON CLUSTER `main`
    ADD COLUMN IF NOT EXISTS example String COMMENT 'JSON to show, such as minimal valid arguments' CODEC(ZSTD(1)) AFTER action;

-- 0020_findings_distributed_example
ALTER TABLE findings ON CLUSTER `main`
    ADD COLUMN IF NOT EXISTS example String AFTER action;

-- 0021_tool_changes
CREATE TABLE IF NOT EXISTS tool_changes_local ON CLUSTER `main`
(
    bucket LowCardinality(String) COMMENT 'tooltrail_registry or tooltrail_breaker',
    epoch LowCardinality(String) COMMENT 'creation time of the bucket: revisions of different epochs are not comparable',
    key String COMMENT 'key in the bucket' CODEC(ZSTD(1)),
    revision UInt64 COMMENT 'revision of the bucket that this change made' CODEC(Delta, ZSTD(1)),
    at DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    server LowCardinality(String),
    tool LowCardinality(String),
    agent LowCardinality(String) COMMENT 'where the change is for one agent alone',
    action LowCardinality(String),
    version LowCardinality(String),
    changed_by LowCardinality(String),
    reason String CODEC(ZSTD(1)),
    document String COMMENT 'JSON, as the change left it' CODEC(ZSTD(3))
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/tooltrail/tool_changes_local', '{replica}', revision)
ORDER BY (bucket, server, tool, epoch, key, revision);

-- 0022_tool_changes_distributed
CREATE TABLE IF NOT EXISTS tool_changes ON CLUSTER `main` AS tool_changes_local
ENGINE = Distributed(`main`, tooltrail, tool_changes_local, cityHash64(key));

-- 0023_tool_calls_piece_hash
ALTER TABLE tool_calls_local ON CLUSTER `main`
    ADD COLUMN IF NOT EXISTS piece_hash UInt64
        MATERIALIZED if(conversation_id = '', 0, cityHash64(server, if(resolved_name = '', tool_name, resolved_name), conversation_id))
        COMMENT 'of server, tool and conversation, which attempts at one piece of work share, and 0 where the conversation is not known' CODEC(NONE);

-- 0024_tool_calls_distributed_piece_hash
ALTER TABLE tool_calls ON CLUSTER `main`
    ADD COLUMN IF NOT EXISTS piece_hash UInt64
        MATERIALIZED if(conversation_id = '', 0, cityHash64(server, if(resolved_name = '', tool_name, resolved_name), conversation_id));

-- 0025_tool_calls_version_use
ALTER TABLE tool_calls_local ON CLUSTER `main`
    ADD PROJECTION IF NOT EXISTS version_use
    (
        SELECT toStartOfHour(time) AS hour, server, tool_name, resolved_name, used_version, schema_version, count()
        GROUP BY hour, server, tool_name, resolved_name, used_version, schema_version
    );

-- 0026_tool_calls_version_use_of_old_parts
ALTER TABLE tool_calls_local ON CLUSTER `main`
    MATERIALIZE PROJECTION IF EXISTS version_use;

-- 0027_tool_definitions_seen
ALTER TABLE tool_definitions_local ON CLUSTER `main`
    ADD PROJECTION IF NOT EXISTS definition_seen
    (
        SELECT server, agent_name, tool_name, release, schema_version, definition_digest, schema_digest, min(time), min(seq)
        GROUP BY server, agent_name, tool_name, release, schema_version, definition_digest, schema_digest
    );

-- 0028_tool_definitions_seen_of_old_parts
ALTER TABLE tool_definitions_local ON CLUSTER `main`
    MATERIALIZE PROJECTION IF EXISTS definition_seen;

-- 0029_tool_calls_renamed_arguments
ALTER TABLE tool_calls_local ON CLUSTER `main`
    ADD COLUMN IF NOT EXISTS renamed_arguments Array(LowCardinality(String)) COMMENT 'what the call gave in the place of defaulted ones' AFTER defaulted_arguments;

-- 0030_tool_calls_distributed_renamed_arguments
ALTER TABLE tool_calls ON CLUSTER `main`
    ADD COLUMN IF NOT EXISTS renamed_arguments Array(LowCardinality(String)) AFTER defaulted_arguments;

-- 0031_tool_calls_fast_places
ALTER TABLE tool_calls_local ON CLUSTER `main`
    MODIFY COLUMN time CODEC(T64, LZ4),
    MODIFY COLUMN seq CODEC(T64, ZSTD(1)),
    ADD COLUMN IF NOT EXISTS series_hash UInt64
        MATERIALIZED cityHash64(server, if(resolved_name = '', tool_name, resolved_name), active_version)
        COMMENT 'of server, tool and active version, which errors in a row share' CODEC(LZ4);

-- 0032_tool_calls_distributed_series_hash
ALTER TABLE tool_calls ON CLUSTER `main`
    ADD COLUMN IF NOT EXISTS series_hash UInt64
        MATERIALIZED cityHash64(server, if(resolved_name = '', tool_name, resolved_name), active_version);

-- 0035_request_verdicts
CREATE TABLE IF NOT EXISTS request_verdicts_local ON CLUSTER `main`
(
    id UUID COMMENT 'event id of the request' CODEC(ZSTD(1)),
    conversation_id String CODEC(ZSTD(1)),
    conversation_hash UInt64 MATERIALIZED sipHash64(conversation_id) COMMENT 'of conversation_id, for grouping',
    judged_at DateTime64(6, 'UTC') COMMENT 'the row with the latest one is the verdict, so read with FINAL' CODEC(Delta, ZSTD(1)),
    content UInt64 COMMENT 'hash of all that was judged, which tells a changed row' CODEC(ZSTD(1)),
    time DateTime64(6, 'UTC') COMMENT 'when the event says that the request happened' CODEC(T64, LZ4),
    ingested_at DateTime64(3, 'UTC') COMMENT 'when the request was stored' CODEC(Delta, ZSTD(1)),
    start_time DateTime64(6, 'UTC') CODEC(T64, ZSTD(1)),
    agent_name LowCardinality(String),
    agent_version LowCardinality(String),
    environment LowCardinality(String),
    team LowCardinality(String),
    provider_name LowCardinality(String),
    request_model LowCardinality(String),
    request Int64 COMMENT 'counts the model''s answers in the conversation from 1' CODEC(T64, ZSTD(1)),
    compared_id String COMMENT 'event id of the request that it was compared with' CODEC(ZSTD(1)),
    verdict LowCardinality(String),
    secondary Array(LowCardinality(String)) COMMENT 'every other reason that also holds, which is a risk where nothing broke',
    cause LowCardinality(String),
    cause_names Array(LowCardinality(String)),
    `tools.name` Array(LowCardinality(String)),
    `tools.kind` Array(LowCardinality(String)),
    `tools.index` Array(Int64) CODEC(ZSTD(1)),
    `tools.middle` Array(Bool) CODEC(ZSTD(1)),
    `tools.rhythm` Array(LowCardinality(String)),
    params Array(LowCardinality(String)),
    system_block Int64 COMMENT 'first that changed, from 0, and -1 where none did' CODEC(T64, ZSTD(1)),
    system_rhythm LowCardinality(String),
    message Int64 COMMENT 'first that changed, from 0, and -1 where none did' CODEC(T64, ZSTD(1)),
    gap_seconds Float64 CODEC(ZSTD(1)),
    clock_backwards Bool COMMENT 'the gap was negative and counts as zero',
    prompt_tokens Nullable(UInt64) CODEC(T64, ZSTD(1)),
    read_tokens Nullable(UInt64) CODEC(T64, ZSTD(1)),
    expected_read_tokens Nullable(UInt64) CODEC(T64, ZSTD(1)),
    tokens_lost Nullable(UInt64) CODEC(T64, ZSTD(1)),
    lost_usd Nullable(Float64) CODEC(ZSTD(1)),
    cost_usd Nullable(Float64) CODEC(ZSTD(1)),
    stated_cost_usd Nullable(Float64) CODEC(ZSTD(1)),
    provider_diagnosis LowCardinality(String),
    diagnosis_verdict LowCardinality(String),
    agreement LowCardinality(String),
    `flux.kind` Array(LowCardinality(String)) COMMENT 'parts that keep changing along the conversation, at its latest request alone',
    `flux.part` Array(LowCardinality(String)),
    `flux.name` Array(LowCardinality(String)),
    `flux.requests` Array(Int64) CODEC(ZSTD(1)),
    `flux.changes` Array(Int64) CODEC(ZSTD(1)),
    `flux.values` Array(Int64) CODEC(ZSTD(1))
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/tooltrail/request_verdicts_local', '{replica}', judged_at)
PARTITION BY toDate(ingested_at)
ORDER BY (toStartOfHour(time), conversation_hash, id)
SETTINGS ttl_only_drop_parts = 1;

-- 0036_request_verdicts_distributed
CREATE TABLE IF NOT EXISTS request_verdicts ON CLUSTER `main` AS request_verdicts_local
ENGINE = Distributed(`main`, tooltrail, request_verdicts_local, cityHash64(conversation_id));

-- 0037_notable_verdicts
CREATE TABLE IF NOT EXISTS notable_verdicts_local ON CLUSTER `main`
(
    id UUID COMMENT 'event id of the request' CODEC(ZSTD(1)),
    conversation_id String CODEC(ZSTD(1)),
    conversation_hash UInt64 MATERIALIZED sipHash64(conversation_id) COMMENT 'of conversation_id, for grouping',
    judged_at DateTime64(6, 'UTC') COMMENT 'the row with the latest one is the verdict, so read with FINAL' CODEC(Delta, ZSTD(1)),
    content UInt64 COMMENT 'hash of all that was judged, which tells a changed row' CODEC(ZSTD(1)),
    time DateTime64(6, 'UTC') COMMENT 'when the event says that the request happened' CODEC(T64, LZ4),
    ingested_at DateTime64(3, 'UTC') COMMENT 'when the request was stored' CODEC(Delta, ZSTD(1)),
    start_time DateTime64(6, 'UTC') CODEC(T64, ZSTD(1)),
    agent_name LowCardinality(String),
    agent_version LowCardinality(String),
    environment LowCardinality(String),
    team LowCardinality(String),
    provider_name LowCardinality(String),
    request_model LowCardinality(String),
    request Int64 COMMENT 'counts the model''s answers in the conversation from 1' CODEC(T64, ZSTD(1)),
    compared_id String COMMENT 'event id of the request that it was compared with' CODEC(ZSTD(1)),
    verdict LowCardinality(String),
    secondary Array(LowCardinality(String)) COMMENT 'every other reason that also holds, which is a risk where nothing broke',
    cause LowCardinality(String),
    cause_names Array(LowCardinality(String)),
    `tools.name` Array(LowCardinality(String)),
    `tools.kind` Array(LowCardinality(String)),
    `tools.index` Array(Int64) CODEC(ZSTD(1)),
    `tools.middle` Array(Bool) CODEC(ZSTD(1)),
    `tools.rhythm` Array(LowCardinality(String)),
    params Array(LowCardinality(String)),
    system_block Int64 COMMENT 'first that changed, from 0, and -1 where none did' CODEC(T64, ZSTD(1)),
    system_rhythm LowCardinality(String),
    message Int64 COMMENT 'first that changed, from 0, and -1 where none did' CODEC(T64, ZSTD(1)),
    gap_seconds Float64 CODEC(ZSTD(1)),
    clock_backwards Bool COMMENT 'the gap was negative and counts as zero',
    prompt_tokens Nullable(UInt64) CODEC(T64, ZSTD(1)),
    read_tokens Nullable(UInt64) CODEC(T64, ZSTD(1)),
    expected_read_tokens Nullable(UInt64) CODEC(T64, ZSTD(1)),
    tokens_lost Nullable(UInt64) CODEC(T64, ZSTD(1)),
    lost_usd Nullable(Float64) CODEC(ZSTD(1)),
    cost_usd Nullable(Float64) CODEC(ZSTD(1)),
    stated_cost_usd Nullable(Float64) CODEC(ZSTD(1)),
    provider_diagnosis LowCardinality(String),
    diagnosis_verdict LowCardinality(String),
    agreement LowCardinality(String),
    `flux.kind` Array(LowCardinality(String)) COMMENT 'parts that keep changing along the conversation, at its latest request alone',
    `flux.part` Array(LowCardinality(String)),
    `flux.name` Array(LowCardinality(String)),
    `flux.requests` Array(Int64) CODEC(ZSTD(1)),
    `flux.changes` Array(Int64) CODEC(ZSTD(1)),
    `flux.values` Array(Int64) CODEC(ZSTD(1))
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/tooltrail/notable_verdicts_local', '{replica}', judged_at)
PARTITION BY toDate(ingested_at)
ORDER BY (toStartOfHour(time), conversation_hash, id)
SETTINGS ttl_only_drop_parts = 1;

-- 0038_notable_verdicts_distributed
CREATE TABLE IF NOT EXISTS notable_verdicts ON CLUSTER `main` AS notable_verdicts_local
ENGINE = Distributed(`main`, tooltrail, notable_verdicts_local, cityHash64(conversation_id));

-- 0039_detector_progress
CREATE TABLE IF NOT EXISTS detector_progress_local ON CLUSTER `main`
(
    detector LowCardinality(String),
    lane String COMMENT 'stream creation time and subject, EPOCH/SUBJECT' CODEC(ZSTD(1)),
    rules UInt64 COMMENT 'hash of the settings that it judged by',
    seq UInt64 COMMENT 'stream sequence up to which all of the lane is judged',
    noted_at DateTime64(6, 'UTC') COMMENT 'the row with the latest one counts, so read with FINAL' CODEC(ZSTD(1))
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/tooltrail/detector_progress_local', '{replica}', noted_at)
ORDER BY (detector, lane);

-- 0040_detector_progress_distributed
CREATE TABLE IF NOT EXISTS detector_progress ON CLUSTER `main` AS detector_progress_local
ENGINE = Distributed(`main`, tooltrail, detector_progress_local, cityHash64(detector));

-- 0041_request_verdicts_unseen
ALTER TABLE request_verdicts_local ON CLUSTER `main`
    ADD COLUMN IF NOT EXISTS unseen Array(LowCardinality(String)) COMMENT 'parts of the prefix that were not recorded of it or of the request that it was compared with, for a break' AFTER agreement,
    ADD COLUMN IF NOT EXISTS `flux.could_read` Array(Int64) COMMENT 'tokens that could have come from the cache, had the part not changed, beyond those that count as lost' CODEC(ZSTD(1)) AFTER `flux.values`,
    ADD COLUMN IF NOT EXISTS `flux.could_read_usd` Array(Nullable(Float64)) CODEC(ZSTD(1)) AFTER `flux.could_read`;

-- 0042_request_verdicts_distributed_unseen
ALTER TABLE request_verdicts ON CLUSTER `main`
    ADD COLUMN IF NOT EXISTS unseen Array(LowCardinality(String)) AFTER agreement,
    ADD COLUMN IF NOT EXISTS `flux.could_read` Array(Int64) AFTER `flux.values`,
    ADD COLUMN IF NOT EXISTS `flux.could_read_usd` Array(Nullable(Float64)) AFTER `flux.could_read`;

-- 0043_notable_verdicts_unseen
ALTER TABLE notable_verdicts_local ON CLUSTER `main`
    ADD COLUMN IF NOT EXISTS unseen Array(LowCardinality(String)) COMMENT 'parts of the prefix that were not recorded of it or of the request that it was compared with, for a break' AFTER agreement,
    ADD COLUMN IF NOT EXISTS `flux.could_read` Array(Int64) COMMENT 'tokens that could have come from the cache, had the part not changed, beyond those that count as lost' CODEC(ZSTD(1)) AFTER `flux.values`,
    ADD COLUMN IF NOT EXISTS `flux.could_read_usd` Array(Nullable(Float64)) CODEC(ZSTD(1)) AFTER `flux.could_read`;

-- 0044_notable_verdicts_distributed_unseen
ALTER TABLE notable_verdicts ON CLUSTER `main`
    ADD COLUMN IF NOT EXISTS unseen Array(LowCardinality(String)) AFTER agreement,
    ADD COLUMN IF NOT EXISTS `flux.could_read` Array(Int64) AFTER `flux.values`,
    ADD COLUMN IF NOT EXISTS `flux.could_read_usd` Array(Nullable(Float64)) AFTER `flux.could_read`;

-- 0045_judged_calls
CREATE TABLE IF NOT EXISTS judged_calls_local ON CLUSTER `main`
(
    id UUID COMMENT 'event id of the call' CODEC(ZSTD(1)),
    conversation_id String CODEC(ZSTD(1)),
    conversation_hash UInt64 MATERIALIZED sipHash64(conversation_id) COMMENT 'of conversation_id, for grouping',
    judged_at DateTime64(6, 'UTC') COMMENT 'the row with the latest one counts, so read with FINAL' CODEC(Delta, ZSTD(1)),
    content UInt64 COMMENT 'hash of what was judged, which tells a changed row' CODEC(ZSTD(1)),
    time DateTime64(6, 'UTC') COMMENT 'when the event says that the call happened' CODEC(Delta, ZSTD(1)),
    ingested_at DateTime64(3, 'UTC') COMMENT 'when the call was stored' CODEC(Delta, ZSTD(1)),
    source LowCardinality(String),
    agent_name LowCardinality(String),
    agent_version LowCardinality(String),
    environment LowCardinality(String),
    team LowCardinality(String),
    provider_name LowCardinality(String),
    request_model LowCardinality(String),
    tool_name LowCardinality(String) COMMENT 'as the model gave it',
    server LowCardinality(String),
    resolved_name LowCardinality(String) COMMENT 'the tool that was meant, where it is not tool_name',
    bridge LowCardinality(String),
    resolution LowCardinality(String) COMMENT 'empty and ok for calls that were in doubt and are not any more',
    resolution_how LowCardinality(String),
    input_tokens Nullable(UInt64) CODEC(T64, ZSTD(1)),
    output_tokens Nullable(UInt64) CODEC(T64, ZSTD(1)),
    piece_hash UInt64
        MATERIALIZED if(conversation_id = '', 0, cityHash64(server, if(resolved_name = '', tool_name, resolved_name), conversation_id))
        COMMENT 'as in tool_calls' CODEC(NONE)
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/tooltrail/judged_calls_local', '{replica}', judged_at)
PARTITION BY toDate(ingested_at)
ORDER BY (toStartOfHour(time), conversation_hash, id)
SETTINGS ttl_only_drop_parts = 1;

-- 0046_judged_calls_distributed
CREATE TABLE IF NOT EXISTS judged_calls ON CLUSTER `main` AS judged_calls_local
ENGINE = Distributed(`main`, tooltrail, judged_calls_local, cityHash64(conversation_id));

-- 0047_looked_up_calls
CREATE TABLE IF NOT EXISTS looked_up_calls_local ON CLUSTER `main`
(
    lane LowCardinality(String) COMMENT 'lane, seq and pos are those of the call in tool_calls',
    seq UInt64 CODEC(Delta, ZSTD(1)),
    pos UInt32 CODEC(T64, ZSTD(1)),
    judged_at DateTime64(6, 'UTC') COMMENT 'the row with the latest one counts, so read with FINAL' CODEC(Delta, ZSTD(1)),
    time DateTime64(6, 'UTC') COMMENT 'when the event says that the call happened' CODEC(Delta, ZSTD(1)),
    ingested_at DateTime64(3, 'UTC') COMMENT 'when the call was stored' CODEC(Delta, ZSTD(1)),
    known Bool COMMENT 'a roster was in force, and the name was looked up in it',
    INDEX time_range time TYPE minmax GRANULARITY 1
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/tooltrail/looked_up_calls_local', '{replica}', judged_at)
PARTITION BY toDate(ingested_at)
ORDER BY (lane, seq, pos)
SETTINGS ttl_only_drop_parts = 1;

-- 0048_looked_up_calls_distributed
CREATE TABLE IF NOT EXISTS looked_up_calls ON CLUSTER `main` AS looked_up_calls_local
ENGINE = Distributed(`main`, tooltrail, looked_up_calls_local, cityHash64(lane));

-- 0049_tool_calls_bridged_name
ALTER TABLE tool_calls_local ON CLUSTER `main`
    ADD COLUMN IF NOT EXISTS bridged_name LowCardinality(String) COMMENT 'what the model gave to the bridge, where it is not resolved_name' AFTER bridge;

-- 0050_tool_calls_distributed_bridged_name
ALTER TABLE tool_calls ON CLUSTER `main`
    ADD COLUMN IF NOT EXISTS bridged_name LowCardinality(String) AFTER bridge;

-- 0051_tool_calls_failed_hash
ALTER TABLE tool_calls_local ON CLUSTER `main`
    ADD COLUMN IF NOT EXISTS failed_hash UInt64
        MATERIALIZED if(outcome = 'ok' OR conversation_id = '' OR arguments_digest = '', 0, cityHash64(server, tool_name, conversation_id, arguments_digest))
        COMMENT 'of server, name, conversation and arguments of a call that failed, which calls in a loop share, and 0 for all others' CODEC(LZ4),
    ADD COLUMN IF NOT EXISTS conversation_hash UInt32
        MATERIALIZED if(conversation_id = '', 0, toUInt32(cityHash64(conversation_id)))
        COMMENT 'of the conversation, to leave most others out cheaply before ids are compared, and 0 where it is not known' CODEC(NONE);

-- 0052_tool_calls_distributed_failed_hash
ALTER TABLE tool_calls ON CLUSTER `main`
    ADD COLUMN IF NOT EXISTS failed_hash UInt64
        MATERIALIZED if(outcome = 'ok' OR conversation_id = '' OR arguments_digest = '', 0, cityHash64(server, tool_name, conversation_id, arguments_digest)),
    ADD COLUMN IF NOT EXISTS conversation_hash UInt32
        MATERIALIZED if(conversation_id = '', 0, toUInt32(cityHash64(conversation_id)));

-- 0053_judged_calls_bridged_name
ALTER TABLE judged_calls_local ON CLUSTER `main`
    ADD COLUMN IF NOT EXISTS bridged_name LowCardinality(String) COMMENT 'what the model gave to the bridge, where it is not resolved_name' AFTER bridge;

-- 0054_judged_calls_distributed_bridged_name
ALTER TABLE judged_calls ON CLUSTER `main`
    ADD COLUMN IF NOT EXISTS bridged_name LowCardinality(String) AFTER bridge;

-- 0055_looked_up_calls_agent
ALTER TABLE looked_up_calls_local ON CLUSTER `main`
    ADD COLUMN IF NOT EXISTS agent_name LowCardinality(String) COMMENT 'agent_name, environment and team are those of the call' AFTER ingested_at,
    ADD COLUMN IF NOT EXISTS environment LowCardinality(String) AFTER agent_name,
    ADD COLUMN IF NOT EXISTS team LowCardinality(String) AFTER environment;

-- 0056_looked_up_calls_distributed_agent
ALTER TABLE looked_up_calls ON CLUSTER `main`
    ADD COLUMN IF NOT EXISTS agent_name LowCardinality(String) AFTER ingested_at,
    ADD COLUMN IF NOT EXISTS environment LowCardinality(String) AFTER agent_name,
    ADD COLUMN IF NOT EXISTS team LowCardinality(String) AFTER environment;

-- 0060_finding_actions
CREATE TABLE IF NOT EXISTS finding_actions_local ON CLUSTER `main`
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
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/tooltrail/finding_actions_local', '{replica}')
ORDER BY (fingerprint, at, id);

-- 0061_finding_actions_distributed
CREATE TABLE IF NOT EXISTS finding_actions ON CLUSTER `main` AS finding_actions_local
ENGINE = Distributed(`main`, tooltrail, finding_actions_local, cityHash64(fingerprint));

-- 0062_findings_owner_and_start
ALTER TABLE findings_local ON CLUSTER `main`
    ADD COLUMN IF NOT EXISTS owner LowCardinality(String) COMMENT 'who is to deal with it, by the settings' AFTER runbook,
    ADD COLUMN IF NOT EXISTS team LowCardinality(String) COMMENT 'team of the owner, else that of its events' AFTER owner,
    ADD COLUMN IF NOT EXISTS environment LowCardinality(String) COMMENT 'of its events where they are all of one' AFTER team,
    ADD COLUMN IF NOT EXISTS agents Array(LowCardinality(String)) COMMENT 'of its events, as environments and teams are' AFTER environment,
    ADD COLUMN IF NOT EXISTS environments Array(LowCardinality(String)) AFTER agents,
    ADD COLUMN IF NOT EXISTS teams Array(LowCardinality(String)) AFTER environments,
    ADD COLUMN IF NOT EXISTS began DateTime64(6, 'UTC') COMMENT 'when the fact first happened' CODEC(ZSTD(1)) AFTER teams,
    ADD COLUMN IF NOT EXISTS last_event DateTime64(6, 'UTC') COMMENT 'when it last happened' CODEC(ZSTD(1)) AFTER began,
    ADD COLUMN IF NOT EXISTS changes String COMMENT 'JSON: what changed around its start' CODEC(ZSTD(1)) AFTER last_event,
    COMMENT COLUMN IF EXISTS state 'not used: findings_now has it',
    COMMENT COLUMN IF EXISTS muted_until 'not used: findings_now has it';

-- 0063_findings_distributed_owner_and_start
ALTER TABLE findings ON CLUSTER `main`
    ADD COLUMN IF NOT EXISTS owner LowCardinality(String) AFTER runbook,
    ADD COLUMN IF NOT EXISTS team LowCardinality(String) AFTER owner,
    ADD COLUMN IF NOT EXISTS environment LowCardinality(String) AFTER team,
    ADD COLUMN IF NOT EXISTS agents Array(LowCardinality(String)) AFTER environment,
    ADD COLUMN IF NOT EXISTS environments Array(LowCardinality(String)) AFTER agents,
    ADD COLUMN IF NOT EXISTS teams Array(LowCardinality(String)) AFTER environments,
    ADD COLUMN IF NOT EXISTS began DateTime64(6, 'UTC') AFTER teams,
    ADD COLUMN IF NOT EXISTS last_event DateTime64(6, 'UTC') AFTER began,
    ADD COLUMN IF NOT EXISTS changes String AFTER last_event;

-- 0064_findings_now
CREATE OR REPLACE VIEW findings_now ON CLUSTER `main` AS
WITH
    transform(f.severity, ['info', 'warning', 'critical'], [0, 1, 2], -1) AS rank,
    transform(a.severity, ['info', 'warning', 'critical'], [0, 1, 2], -1) AS rank_then,
    a.act = 'resolve' AND f.last_event > a.at AS again,
    a.act = 'acknowledge' AND rank > rank_then AS worse,
    a.act = 'mute' AND a.until <= now64(6, 'UTC') AS ended
SELECT
    f.fingerprint AS fingerprint, f.version AS version, f.detector AS detector, f.rule AS rule, f.severity AS severity, f.server AS server, f.tool AS tool,
    f.model AS model, f.agent AS agent, f.conversation AS conversation, f.release AS release, f.window_from AS window_from, f.window_to AS window_to,
    f.numbers AS numbers, f.title AS title, f.action AS action, f.example AS example, f.first_seen AS first_seen, f.last_seen AS last_seen,
    multiIf(again OR worse OR ended, 'open', a.act = 'acknowledge', 'acknowledged', a.act = 'mute', 'muted', a.act = 'resolve', 'resolved', 'open') AS state,
    if(state = 'muted', a.until, toDateTime64(0, 6, 'UTC')) AS muted_until,
    f.runbook AS runbook, f.owner AS owner, f.team AS team, f.environment AS environment, f.agents AS agents, f.environments AS environments, f.teams AS teams,
    arrayMax(arrayMap(x -> f.numbers[x], ['tokens_lost', 'retry_tokens', 'tokens', 'drifted', 'silent_defaults', 'longest', 'ids', 'changes', 'schema_changed',
        'never_called', 'conversations'])) AS size,
    f.began AS began, f.last_event AS last_event, f.changes AS changes, JSONExtractString(f.changes, 1, 'text') AS changed,
    multiIf(again, f.last_event, worse, f.last_seen, ended, a.until, a.at) AS state_since,
    if(again OR worse, 'analyzer', a.done_by) AS state_by,
    multiIf(again, 'it happened again', worse, 'it is worse than when it was acknowledged', ended, 'the mute ended', a.why) AS state_why,
    a.reopened + again AS reopened, a.act AS last_act, a.at AS last_act_at
FROM findings AS f FINAL
GLOBAL LEFT JOIN
(
    SELECT
        fingerprint, history[-1] AS last, last.1 AS at, toString(last.3) AS act, last.4 AS until, toString(last.5) AS severity, last.6 AS done_by, last.7 AS why,
        arrayCount((x, y) -> x.3 = 'resolve' AND y.3 = 'reopen', arrayPopBack(history), arrayPopFront(history)) AS reopened
    FROM
    (
        SELECT fingerprint, arraySort(groupArray((at, id, act, until, severity, done_by, why))) AS history FROM finding_actions GROUP BY fingerprint
    )
) AS a ON a.fingerprint = f.fingerprint;

ALTER TABLE tool_calls_local ON CLUSTER `main` MODIFY TTL toDateTime(ingested_at) + toIntervalDay(90);

ALTER TABLE activations_local ON CLUSTER `main` MODIFY TTL toDateTime(ingested_at) + toIntervalDay(90);

ALTER TABLE request_prefixes_local ON CLUSTER `main` MODIFY TTL toDateTime(ingested_at) + toIntervalDay(90);

ALTER TABLE tool_rosters_local ON CLUSTER `main` MODIFY TTL toDateTime(ingested_at) + toIntervalDay(90);

ALTER TABLE tool_definitions_local ON CLUSTER `main` MODIFY TTL toDateTime(ingested_at) + toIntervalDay(90);

ALTER TABLE client_heartbeats_local ON CLUSTER `main` MODIFY TTL toDateTime(ingested_at) + toIntervalDay(90);

ALTER TABLE dead_letters_local ON CLUSTER `main` MODIFY TTL toDateTime(ingested_at) + toIntervalDay(90);

ALTER TABLE request_verdicts_local ON CLUSTER `main` MODIFY TTL toDateTime(ingested_at) + toIntervalDay(90);

ALTER TABLE notable_verdicts_local ON CLUSTER `main` MODIFY TTL toDateTime(ingested_at) + toIntervalDay(90);

ALTER TABLE judged_calls_local ON CLUSTER `main` MODIFY TTL toDateTime(ingested_at) + toIntervalDay(90);

ALTER TABLE looked_up_calls_local ON CLUSTER `main` MODIFY TTL toDateTime(ingested_at) + toIntervalDay(90);
