{{- if .Cluster -}}
ALTER TABLE tool_calls{{.OnCluster}}
    ADD COLUMN IF NOT EXISTS series_hash UInt64
        MATERIALIZED cityHash64(server, if(resolved_name = '', tool_name, resolved_name), active_version)
{{- end}}
