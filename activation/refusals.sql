-- Names that were asked for and not loaded, by reason and name, the most frequent first; the reason's own total beside them.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT reason, name, times, conversations, sum(times) OVER () AS all_times
FROM
(
    SELECT toString(why) AS reason, toString(refused) AS name, count() AS times, uniq(conversation_id) AS conversations
    FROM activations
    ARRAY JOIN `refused.name` AS refused, `refused.reason` AS why
    WHERE time >= lo AND time < hi AND why != 'already_loaded'
    GROUP BY reason, name
)
ORDER BY times DESC, reason, name
LIMIT ?
