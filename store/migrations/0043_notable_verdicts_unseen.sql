ALTER TABLE {{.Table "notable_verdicts"}}
    ADD COLUMN IF NOT EXISTS unseen Array(LowCardinality(String)) COMMENT 'parts of the prefix that were not recorded of it or of the request that it was compared with, for a break' AFTER agreement,
    ADD COLUMN IF NOT EXISTS `flux.could_read` Array(Int64) COMMENT 'tokens that could have come from the cache, had the part not changed, beyond those that count as lost' CODEC(ZSTD(1)) AFTER `flux.values`,
    ADD COLUMN IF NOT EXISTS `flux.could_read_usd` Array(Nullable(Float64)) CODEC(ZSTD(1)) AFTER `flux.could_read`
