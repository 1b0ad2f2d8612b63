ALTER TABLE {{.Table "findings"}}
    ADD COLUMN IF NOT EXISTS example String COMMENT 'JSON to show, such as minimal valid arguments' CODEC(ZSTD(1)) AFTER action
