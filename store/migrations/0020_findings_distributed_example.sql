{{- if .Cluster -}}
ALTER TABLE findings{{.OnCluster}}
    ADD COLUMN IF NOT EXISTS example String AFTER action
{{- end}}
