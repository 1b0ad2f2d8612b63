-- Conversations that have requests: the ones whose id begins with a text, or holds it, or all of them. One of that very id comes first, then
-- those with the latest requests.
SELECT toString(conversation_id) AS id, count() AS requests, max(start_time) AS latest
FROM request_prefixes
WHERE conversation_id != '' AND if(?, startsWith(conversation_id, ?), positionCaseInsensitive(conversation_id, ?) > 0)
GROUP BY conversation_id
ORDER BY id = ? DESC, latest DESC, id
LIMIT ?
