CREATE TABLE IF NOT EXISTS {{.Table "notable_verdicts"}}
(
{{- template "verdict" .}}
)
ENGINE = {{.ReplacingMergeTree "notable_verdicts" "judged_at"}}
PARTITION BY toDate(ingested_at)
ORDER BY (toStartOfHour(time), conversation_hash, id)
SETTINGS ttl_only_drop_parts = 1
