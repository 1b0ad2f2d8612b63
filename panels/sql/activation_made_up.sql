-- Ids in arguments that appeared nowhere before, the latest first.
SELECT
    c.time AS time, toString(c.server) AS server, toString({tool}) AS tool, toString(c.request_model) AS model, toString(c.agent_name) AS agent,
    c.conversation_id AS conversation, toString(path) AS place, left(digest, 12) AS digest
FROM tool_calls AS c
ARRAY JOIN c.`made_up_ids.path` AS path, c.`made_up_ids.digest` AS digest
WHERE $__timeFilter(c.time) AND notEmpty(c.`made_up_ids.digest`) AND {scope of calls}
ORDER BY time DESC, conversation, place
LIMIT 200
