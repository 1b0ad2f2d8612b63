{{- if .Cluster -}}
ALTER TABLE tool_calls{{.OnCluster}}
    ADD COLUMN IF NOT EXISTS used_version LowCardinality(String) AFTER active_version,
    ADD COLUMN IF NOT EXISTS `validation_errors.message` Array(String) AFTER `validation_errors.keyword`
{{- end}}
