-- The latest requests whose tools changed and that something may explain that was not known when they were judged, by conversation, with the
-- minutes since 1970: those with a tool that is now defined under its name; those that a server's list was told before, and not before what
-- they are compared with; and those of the conversations that name a roster.
WITH CAST(? AS Array(String)) AS defined, CAST(? AS Array(Int64)) AS told, toInt64(?) AS slack, toInt64(?) AS longest,
changed AS
(
    SELECT conversation_id, start_time, toUnixTimestamp64Micro(start_time) AS at,
        arrayExists((name, kind) -> kind IN ('same_name_churn', 'serialization_only') AND has(defined, toString(name)), `tools.name`, `tools.kind`)
        OR arrayExists(m -> at >= m * 60000000 - slack AND at - toInt64(gap_seconds * 1000000) - longest < (m + 1) * 60000000, told) AS explained
    FROM notable_verdicts
    WHERE notEmpty(`tools.name`) AND (explained OR conversation_id IN (SELECT arrayJoin(CAST(? AS Array(String)))))
        AND ingested_at >= (SELECT max(ingested_at) FROM notable_verdicts) - toIntervalSecond(?)
    ORDER BY start_time DESC
    LIMIT ?
)
SELECT toString(conversation_id) AS conversation, groupUniqArray(intDiv(at, 60000000)) AS minutes
FROM changed
GROUP BY conversation_id
