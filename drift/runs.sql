-- The longest run of validation errors by tool and schema version, in the stream's order over all agents, and the run that the
-- calls end with. A lane is EPOCH/SUBJECT: the numbers of one epoch are those of one stream, whatever the subject.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT server_name, tool, version, max(errors) AS longest, argMax(errors, island) AS latest, argMax(conversations, errors) AS conversations
FROM
(
    SELECT server_name, tool, version, island, countIf(failed) AS errors, uniqIf(conversation_id, failed) AS conversations
    FROM
    (
        SELECT
            toString(server) AS server_name,
            toString(if(resolved_name = '', tool_name, resolved_name)) AS tool,
            toString(active_version) AS version,
            conversation_id,
            outcome = 'validation_error' AS failed,
            countIf(outcome != 'validation_error') OVER
            (
                PARTITION BY server, if(resolved_name = '', tool_name, resolved_name), active_version
                ORDER BY toUInt64OrZero(splitByChar('/', toString(lane))[1]), seq, pos
                ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
            ) AS island
        FROM tool_calls
        WHERE time >= lo AND time < hi
            AND outcome != 'refused' AND resolution NOT IN ('not_activated', 'not_connected', 'not_permitted')
    )
    GROUP BY server_name, tool, version, island
)
GROUP BY server_name, tool, version
HAVING longest >= ?
ORDER BY server_name, tool, version
