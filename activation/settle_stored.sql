-- What is stored of the judgments on calls of some conversations in a span.
SELECT toString(id) AS event, toString(conversation_id) AS conversation, content AS stored_content, judged_at AS judged, ingested_at AS stored
FROM judged_calls
WHERE conversation_hash IN (SELECT sipHash64(arrayJoin(CAST(? AS Array(String)))))
    AND time >= fromUnixTimestamp64Micro(toInt64(?), 'UTC') AND time <= fromUnixTimestamp64Micro(toInt64(?), 'UTC')
ORDER BY judged_at DESC, content
LIMIT 1 BY id, conversation_id
