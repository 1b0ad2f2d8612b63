-- The requests at which the provider names another reason than the verdict, those that lost most first.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT conversation_id AS conversation, toString(id) AS event, request AS number, toString(verdict) AS ours, toString(diagnosis_verdict) AS theirs,
    toString(provider_diagnosis) AS words, tokens_lost AS tokens
FROM notable_verdicts FINAL
WHERE time >= lo AND time < hi AND agreement = 'disagrees'
ORDER BY ifNull(tokens_lost, 0) DESC, conversation, number, event
LIMIT ?
SETTINGS do_not_merge_across_partitions_select_final = 1
