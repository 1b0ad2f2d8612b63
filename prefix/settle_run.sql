-- The requests of one conversation that started in a span, in order of start.
SELECT
{columns}
FROM request_prefixes
WHERE conversation_id = ?
    AND start_time >= fromUnixTimestamp64Micro(toInt64(?), 'UTC') AND start_time <= fromUnixTimestamp64Micro(toInt64(?), 'UTC')
ORDER BY start_time, end_time, turn, request_id, id, lane, seq, pos
