{{- if .Cluster -}}
ALTER TABLE tool_calls{{.OnCluster}}
    ADD COLUMN IF NOT EXISTS piece_hash UInt64
        MATERIALIZED if(conversation_id = '', 0, cityHash64(server, if(resolved_name = '', tool_name, resolved_name), conversation_id))
{{- end}}
