-- Tools that were loaded and not called, or loaded again: in how many conversations a tool was loaded, in how many of those it was not called
-- afterwards, and how many loads only repeated another. Whether it was called is asked by the hash of server, tool and conversation that each call
-- has: under which servers and tools the loaded names are called the projection version_use knows. Of a name that is called under more than four it
-- is not asked: it counts as called.
WITH
    (
        SELECT (groupArray(name), groupArray(pairs))
        FROM
        (
            SELECT names.name AS name, arrayFilter(x -> x.3, groupArray((places.of_server, places.tool, places.seen))) AS pairs
            FROM
            (
                SELECT DISTINCT toString(arrayJoin(arrayConcat(a.loaded, a.`refused.name`))) AS name
                FROM activations AS a
                WHERE $__timeFilter(a.time) AND {scope of activations}
            ) AS names
            LEFT JOIN
            (
                SELECT DISTINCT of_server, tool, arrayJoin([called, tool]) AS name, toUInt8(1) AS seen
                FROM
                (
                    SELECT toString(c.server) AS of_server, toString(c.tool_name) AS called, toString({tool}) AS tool
                    FROM tool_calls AS c
                    WHERE toStartOfHour(c.time) >= toStartOfHour($__fromTime)
                    GROUP BY c.server, c.tool_name, c.resolved_name
                )
            ) AS places ON names.name = places.name
            GROUP BY name
        )
    ) AS callables,
    called AS
    (
        SELECT c.piece_hash
        FROM tool_calls AS c
        PREWHERE c.conversation_hash GLOBAL IN
        (
            SELECT DISTINCT toUInt32(cityHash64(a.conversation_id))
            FROM activations AS a
            WHERE $__timeFilter(a.time) AND a.via != 'restore' AND a.conversation_id != '' AND {scope of activations}
        )
        WHERE c.time >= $__fromTime
    ),
    conversations AS
    (
        SELECT
            arrayDistinct(arrayConcat(names, again)) AS ids,
            arrayMap(id -> toUInt64(greatest(countEqual(names, id), 1) - 1 + countEqual(again, id)), ids) AS repeats,
            arrayMap(
                pieces -> length(pieces) <= 4 AND NOT arrayExists(p -> p GLOBAL IN (SELECT piece_hash FROM called), pieces),
                arrayMap(id -> arrayMap(x -> cityHash64(x.1, x.2, conversation), callables.2[id]), ids)) AS idles
        FROM
        (
            SELECT
                a.conversation_id AS conversation,
                groupArrayArray(arrayMap(x -> toUInt32(transform(toString(x), callables.1, arrayEnumerate(callables.1), 0)), a.loaded)) AS names,
                groupArrayArray(arrayMap(x -> toUInt32(transform(toString(x), callables.1, arrayEnumerate(callables.1), 0)),
                    arrayFilter((x, why) -> why = 'already_loaded', a.`refused.name`, a.`refused.reason`))) AS again
            FROM activations AS a
            WHERE $__timeFilter(a.time) AND a.via != 'restore' AND a.conversation_id != '' AND {scope of activations}
            GROUP BY a.conversation_id
        )
    )
SELECT tool, loaded, never_called, never_called / loaded AS share, repeated
FROM
(
    SELECT callables.1[id] AS tool, count() AS loaded, sum(repeat) AS repeated, countIf(idle) AS never_called
    FROM (SELECT ids, repeats, idles FROM conversations)
    ARRAY JOIN ids AS id, repeats AS repeat, idles AS idle
    GROUP BY id
)
ORDER BY never_called + repeated DESC, loaded DESC, tool
LIMIT 100
SETTINGS optimize_aggregation_in_order = 1
