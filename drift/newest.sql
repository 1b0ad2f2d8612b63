-- When the newest call was made. One that claims to have been made over an hour after it was stored counts as made when it was stored: one
-- wrong clock would else empty every window.
SELECT max(if(time > ingested_at + INTERVAL 1 HOUR, toDateTime64(ingested_at, 6, 'UTC'), time)) AS newest, count() AS calls
FROM tool_calls
WHERE time < fromUnixTimestamp64Micro(toInt64(?), 'UTC')
