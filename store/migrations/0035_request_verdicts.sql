CREATE TABLE IF NOT EXISTS {{.Table "request_verdicts"}}
(
{{- template "verdict" .}}
)
ENGINE = {{.ReplacingMergeTree "request_verdicts" "judged_at"}}
PARTITION BY toDate(ingested_at)
ORDER BY (toStartOfHour(time), conversation_hash, id)
SETTINGS ttl_only_drop_parts = 1
