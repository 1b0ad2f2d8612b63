-- Names that were asked for and not loaded.
SELECT
    toString(reason) AS reason, toString(name) AS name, count() AS times, uniq(a.conversation_id) AS conversations, max(a.time) AS last,
    argMax(a.conversation_id, a.time) AS conversation
FROM activations AS a
ARRAY JOIN a.`refused.name` AS name, a.`refused.reason` AS reason
WHERE $__timeFilter(a.time) AND reason != 'already_loaded' AND {scope of activations}
GROUP BY reason, name
ORDER BY times DESC, reason, name
LIMIT 100
