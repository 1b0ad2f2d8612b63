{{- if .Cluster -}}
ALTER TABLE looked_up_calls{{.OnCluster}}
    ADD COLUMN IF NOT EXISTS agent_name LowCardinality(String) AFTER ingested_at,
    ADD COLUMN IF NOT EXISTS environment LowCardinality(String) AFTER agent_name,
    ADD COLUMN IF NOT EXISTS team LowCardinality(String) AFTER environment
{{- end}}
