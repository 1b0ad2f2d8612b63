{{- if .Cluster -}}
ALTER TABLE notable_verdicts{{.OnCluster}}
    ADD COLUMN IF NOT EXISTS unseen Array(LowCardinality(String)) AFTER agreement,
    ADD COLUMN IF NOT EXISTS `flux.could_read` Array(Int64) AFTER `flux.values`,
    ADD COLUMN IF NOT EXISTS `flux.could_read_usd` Array(Nullable(Float64)) AFTER `flux.could_read`
{{- end}}
