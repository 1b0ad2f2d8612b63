{{- if .Cluster -}}
ALTER TABLE tool_calls{{.OnCluster}}
    ADD COLUMN IF NOT EXISTS conversation_hash UInt64 MATERIALIZED cityHash64(conversation_id) AFTER conversation_id
{{- end}}
