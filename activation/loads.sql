-- Loads by tool: in how many conversations, how many of those never called it, and how many loads only repeated another.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT
    name, count() AS loaded, sum(repeats) AS repeated,
    countIf((conversation, name) GLOBAL NOT IN
    (
        SELECT toString(conversation_id), toString(arrayJoin([tool_name, resolved_name]))
        FROM tool_calls WHERE time >= lo
    )) AS never_called
FROM
(
    SELECT
        conversation, name,
        countIf(NOT again) AS times,
        toUInt64(if(times > 0, times - 1, 0) + countIf(again)) AS repeats
    FROM
    (
        SELECT toString(conversation_id) AS conversation, entry.1 AS name, entry.2 AS again
        FROM activations
        ARRAY JOIN arrayConcat(
            arrayMap(x -> (toString(x), 0), loaded),
            arrayMap(x -> (toString(x), 1),
                arrayFilter((x, why) -> why = 'already_loaded', `refused.name`, `refused.reason`))) AS entry
        WHERE time >= lo AND time < hi AND via != 'restore' AND conversation_id != ''
    )
    GROUP BY conversation, name
)
GROUP BY name
ORDER BY name
