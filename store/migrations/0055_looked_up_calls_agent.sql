ALTER TABLE {{.Table "looked_up_calls"}}
    ADD COLUMN IF NOT EXISTS agent_name LowCardinality(String) COMMENT 'agent_name, environment and team are those of the call' AFTER ingested_at,
    ADD COLUMN IF NOT EXISTS environment LowCardinality(String) AFTER agent_name,
    ADD COLUMN IF NOT EXISTS team LowCardinality(String) AFTER environment
