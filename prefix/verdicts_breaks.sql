-- The breaks of some conversations, in order; of one that has very many, those that lost most.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT *
FROM
(
    SELECT conversation_hash AS hash, request AS number, start_time AS started, toString(verdict) AS said, secondary, toString(cause) AS why, cause_names,
        `tools.name` AS tool_names, `tools.kind` AS tool_kinds, `tools.index` AS tool_indexes, `tools.middle` AS tool_middle,
        `tools.rhythm` AS tool_rhythms, params, system_block, toString(system_rhythm) AS rhythm, message, gap_seconds, clock_backwards,
        tokens_lost AS lost, lost_usd AS usd, toString(provider_diagnosis) AS diagnosis, toString(agreement) AS stands, unseen
    FROM notable_verdicts FINAL
    PREWHERE conversation_hash IN (SELECT arrayJoin(CAST(? AS Array(UInt64))))
    WHERE time >= lo AND time < hi AND verdict IN (SELECT arrayJoin(?))
    ORDER BY ifNull(usd, 0) DESC, ifNull(lost, 0) DESC, number
    LIMIT ? BY hash
)
ORDER BY hash, number, started
