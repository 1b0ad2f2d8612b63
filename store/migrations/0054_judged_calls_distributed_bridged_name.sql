{{- if .Cluster -}}
ALTER TABLE judged_calls{{.OnCluster}}
    ADD COLUMN IF NOT EXISTS bridged_name LowCardinality(String) AFTER bridge
{{- end}}
