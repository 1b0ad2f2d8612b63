ALTER TABLE {{.Table "tool_calls"}}
    ADD COLUMN IF NOT EXISTS used_version LowCardinality(String) COMMENT 'claimed or recognised' AFTER active_version,
    ADD COLUMN IF NOT EXISTS `validation_errors.message` Array(String) CODEC(ZSTD(1)) AFTER `validation_errors.keyword`
