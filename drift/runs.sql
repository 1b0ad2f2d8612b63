-- The longest run of validation errors by tool and schema version, in the stream's order over all agents, and the run that the calls end
-- with. A lane is EPOCH/SUBJECT: the numbers of one epoch are those of one stream, whatever the subject; a call's place, which it shares with
-- no other, is the rank of its epoch, its number and its line. (transform finds a rank once a lane, where indexOf would once a call.) A failed
-- call ends its run where another kind of call is the next of its tool and version. Joining each of those to the failed one before it keeps
-- in memory the failed calls alone.
WITH
    fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi,
    (
        SELECT arraySort(groupUniqArray(toUInt64OrZero(extract(lane, '^[0-9]+')))) FROM (SELECT lane, max(seq) FROM tool_calls GROUP BY lane)
    ) AS epochs,
    failed AS
    (
        SELECT
            series_hash AS series,
            bitShiftLeft(toUInt64(transform(toUInt64OrZero(extract(lane, '^[0-9]+')), epochs, arrayEnumerate(epochs), 0)), 58)
                + bitShiftLeft(seq, 18) + pos AS place,
            toString(server) AS server_name,
            toString(if(resolved_name = '', tool_name, resolved_name)) AS tool,
            toString(active_version) AS version,
            piece_hash AS conversation
        FROM tool_calls
        WHERE outcome = 'validation_error' AND time >= lo AND time < hi
            AND resolution NOT IN ('not_activated', 'not_connected', 'not_permitted')
    )
SELECT
    server_name, tool, version,
    max(errors) AS longest,
    if(argMax(over, island), 0, argMax(errors, island)) AS latest,
    argMax(conversations, errors) AS conversations
FROM
(
    SELECT server_name, tool, version, island, count() AS errors, uniqExact(conversation) AS conversations, max(ends) AS over
    FROM
    (
        SELECT
            server_name, tool, version, conversation, ends,
            sum(ends) OVER (PARTITION BY series ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) - ends AS island
        FROM
        (
            SELECT
                series, place, server_name, tool, version, conversation,
                place GLOBAL IN
                (
                    SELECT before.place
                    FROM
                    (
                        SELECT
                            series_hash AS series,
                            bitShiftLeft(toUInt64(transform(toUInt64OrZero(extract(lane, '^[0-9]+')), epochs, arrayEnumerate(epochs), 0)), 58)
                                + bitShiftLeft(seq, 18) + pos AS place
                        FROM tool_calls
                        WHERE outcome NOT IN ('validation_error', 'refused') AND time >= lo AND time < hi
                            AND resolution NOT IN ('not_activated', 'not_connected', 'not_permitted')
                    ) AS after
                    ASOF JOIN (SELECT series, place FROM failed) AS before ON after.series = before.series AND after.place > before.place
                    GROUP BY before.place
                ) AS ends
            FROM failed
        )
    )
    GROUP BY server_name, tool, version, island
)
GROUP BY server_name, tool, version
HAVING longest >= ?
ORDER BY server_name, tool, version
-- A day on which half of ten million calls fail goes to disk in part; others do not.
SETTINGS max_bytes_before_external_group_by = 200000000, max_bytes_before_external_sort = 200000000
