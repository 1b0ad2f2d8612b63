-- How far so many requests before and so many after a span of a conversation reach, and how many there are before the span; one that is
-- stored twice counts once. Requests of no conversation are not counted: there may be very many.
WITH ? AS of, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT
    (SELECT minOrNull(toUnixTimestamp64Micro(start_time)) FROM (
        SELECT start_time FROM request_prefixes WHERE conversation_id = of AND start_time < lo ORDER BY start_time DESC LIMIT 1 BY id LIMIT ?)) AS first,
    (SELECT maxOrNull(toUnixTimestamp64Micro(start_time)) FROM (
        SELECT start_time FROM request_prefixes WHERE conversation_id = of AND start_time > hi ORDER BY start_time LIMIT 1 BY id LIMIT ?)) AS last,
    ifNull((SELECT uniqExact(id) FROM request_prefixes WHERE conversation_id = of AND of != '' AND start_time < lo), 0) AS earlier
