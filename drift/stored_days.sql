-- On which days calls are stored, of any tool. Answered by the projection version_use.
SELECT toDateTime(toDate(hour), 'UTC') AS day, sum(calls) AS calls
FROM
(
    SELECT toStartOfHour(time) AS hour, count() AS calls FROM tool_calls
    WHERE toStartOfHour(time) < toDateTime(toUInt32(?), 'UTC')
    GROUP BY hour
)
GROUP BY day
ORDER BY day
