-- Which of some calls in a span came with a resolution, too.
SELECT DISTINCT toString(id) AS event
FROM tool_calls
WHERE time >= fromUnixTimestamp64Micro(toInt64(?), 'UTC') AND time <= fromUnixTimestamp64Micro(toInt64(?), 'UTC')
    AND id IN (SELECT toUUID(arrayJoin(CAST(? AS Array(String))))) AND resolution != ''
