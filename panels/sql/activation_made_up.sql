-- Ids in arguments that appeared nowhere before, the latest first. Since when the latest calls with such ids are is asked first, so that all else is
-- read of few granules.
SELECT
    c.time AS time, toString(c.server) AS server, toString({tool}) AS tool, toString(c.request_model) AS model, toString(c.agent_name) AS agent,
    c.conversation_id AS conversation, toString(path) AS place, left(digest, 12) AS digest
FROM tool_calls AS c
ARRAY JOIN c.`made_up_ids.path` AS path, c.`made_up_ids.digest` AS digest
WHERE $__timeFilter(c.time) AND notEmpty(c.`made_up_ids.digest`) AND {scope of calls} AND c.time >=
(
    SELECT min(at)
    FROM
    (
        SELECT c.time AS at
        FROM tool_calls AS c
        WHERE $__timeFilter(c.time) AND notEmpty(c.`made_up_ids.digest`) AND {scope of calls}
        ORDER BY at DESC
        LIMIT 200
    )
)
ORDER BY time DESC, conversation, place
LIMIT 200
