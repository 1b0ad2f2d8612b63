{{- if .Cluster -}}
ALTER TABLE findings{{.OnCluster}}
    ADD COLUMN IF NOT EXISTS owner LowCardinality(String) AFTER runbook,
    ADD COLUMN IF NOT EXISTS team LowCardinality(String) AFTER owner,
    ADD COLUMN IF NOT EXISTS environment LowCardinality(String) AFTER team,
    ADD COLUMN IF NOT EXISTS agents Array(LowCardinality(String)) AFTER environment,
    ADD COLUMN IF NOT EXISTS environments Array(LowCardinality(String)) AFTER agents,
    ADD COLUMN IF NOT EXISTS teams Array(LowCardinality(String)) AFTER environments,
    ADD COLUMN IF NOT EXISTS began DateTime64(6, 'UTC') AFTER teams,
    ADD COLUMN IF NOT EXISTS last_event DateTime64(6, 'UTC') AFTER began,
    ADD COLUMN IF NOT EXISTS changes String AFTER last_event
{{- end}}
