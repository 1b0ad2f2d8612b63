-- How many requests some conversations have.
SELECT toString(conversation_id) AS conversation, count() AS n
FROM request_prefixes
WHERE conversation_id IN (SELECT arrayJoin(?))
GROUP BY conversation_id
