-- How many requests of a conversation started in each minute since 1970 of a span; one that is stored twice counts once.
SELECT intDiv(toUnixTimestamp64Micro(start_time), 60000000) AS minute, uniqExact(id) AS requests
FROM request_prefixes
WHERE conversation_id = ?
    AND start_time >= fromUnixTimestamp64Micro(toInt64(?), 'UTC') AND start_time <= fromUnixTimestamp64Micro(toInt64(?), 'UTC')
GROUP BY minute
ORDER BY minute
