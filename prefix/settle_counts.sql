-- How many requests some conversations have; one that is stored twice counts once.
SELECT toString(conversation_id) AS conversation, uniqExact(id) AS n
FROM request_prefixes
WHERE conversation_id IN (SELECT arrayJoin(?))
GROUP BY conversation_id
