{{- if .Cluster -}}
ALTER TABLE tool_calls{{.OnCluster}}
    ADD COLUMN IF NOT EXISTS bridged_name LowCardinality(String) AFTER bridge
{{- end}}
