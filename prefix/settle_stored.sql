-- What is stored of the verdicts on the requests of some conversations in a span.
SELECT toString(id) AS event, toString(conversation_id) AS conversation, content AS stored_content, judged_at AS at, ingested_at AS ingested
FROM request_verdicts
WHERE conversation_hash IN (SELECT arrayJoin(arrayMap(x -> sipHash64(x), ?)))
    AND time >= fromUnixTimestamp64Micro(toInt64(?), 'UTC') AND time <= fromUnixTimestamp64Micro(toInt64(?), 'UTC')
ORDER BY judged_at DESC, content
LIMIT 1 BY id, conversation_id
