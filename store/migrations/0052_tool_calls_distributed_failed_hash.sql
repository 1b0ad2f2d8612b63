{{- if .Cluster -}}
ALTER TABLE tool_calls{{.OnCluster}}
    ADD COLUMN IF NOT EXISTS failed_hash UInt64
        MATERIALIZED if(outcome = 'ok' OR conversation_id = '' OR arguments_digest = '', 0, cityHash64(server, tool_name, conversation_id, arguments_digest)),
    ADD COLUMN IF NOT EXISTS conversation_hash UInt32
        MATERIALIZED if(conversation_id = '', 0, toUInt32(cityHash64(conversation_id)))
{{- end}}
