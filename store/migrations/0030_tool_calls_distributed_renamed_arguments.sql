{{- if .Cluster -}}
ALTER TABLE tool_calls{{.OnCluster}}
    ADD COLUMN IF NOT EXISTS renamed_arguments Array(LowCardinality(String)) AFTER defaulted_arguments
{{- end}}
