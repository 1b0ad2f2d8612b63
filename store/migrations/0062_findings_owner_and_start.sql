ALTER TABLE {{.Table "findings"}}
    ADD COLUMN IF NOT EXISTS owner LowCardinality(String) COMMENT 'who is to deal with it, by the settings' AFTER runbook,
    ADD COLUMN IF NOT EXISTS team LowCardinality(String) COMMENT 'team of the owner, else that of its events' AFTER owner,
    ADD COLUMN IF NOT EXISTS environment LowCardinality(String) COMMENT 'of its events where they are all of one' AFTER team,
    ADD COLUMN IF NOT EXISTS agents Array(LowCardinality(String)) COMMENT 'of its events, as environments and teams are' AFTER environment,
    ADD COLUMN IF NOT EXISTS environments Array(LowCardinality(String)) AFTER agents,
    ADD COLUMN IF NOT EXISTS teams Array(LowCardinality(String)) AFTER environments,
    ADD COLUMN IF NOT EXISTS began DateTime64(6, 'UTC') COMMENT 'when the fact first happened' CODEC(ZSTD(1)) AFTER teams,
    ADD COLUMN IF NOT EXISTS last_event DateTime64(6, 'UTC') COMMENT 'when it last happened' CODEC(ZSTD(1)) AFTER began,
    ADD COLUMN IF NOT EXISTS changes String COMMENT 'JSON: what changed around its start' CODEC(ZSTD(1)) AFTER last_event,
    COMMENT COLUMN IF EXISTS state 'not used: findings_now has it',
    COMMENT COLUMN IF EXISTS muted_until 'not used: findings_now has it'
