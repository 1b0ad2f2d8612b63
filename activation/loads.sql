-- Loads by tool (part 0), and of those that broke a rule by agent (1), model (2) and conversation (3): in how many conversations, how many of those
-- never called it, and how many loads only repeated another. Whether a tool was called is asked by the hash of server, tool and conversation that
-- each call has, since calls are many: first under which servers and tools the loaded names are called, which the projection version_use knows,
-- then for those hashes alone: by half of each, whose set is small enough to be fast, and then by all of it. Of a name that is called under more
-- than four it is not asked: it counts as called. Each subquery of IN runs as often as its column is read, so idles is read a level above.
WITH
    fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi,
    (
        SELECT (groupArray(name), groupArray(pairs))
        FROM
        (
            SELECT names.name AS name, arrayFilter(x -> x.3, groupArray((places.of_server, places.tool, places.seen))) AS pairs
            FROM
            (
                SELECT DISTINCT toString(arrayJoin(arrayConcat(loaded, `refused.name`))) AS name FROM activations WHERE time >= lo AND time < hi
            ) AS names
            LEFT JOIN
            (
                SELECT DISTINCT of_server, tool, arrayJoin([called, tool]) AS name, toUInt8(1) AS seen
                FROM
                (
                    SELECT toString(server) AS of_server, toString(tool_name) AS called, toString(if(resolved_name = '', tool_name, resolved_name)) AS tool
                    FROM tool_calls
                    WHERE toStartOfHour(time) >= toStartOfHour(lo)
                    GROUP BY server, tool_name, resolved_name
                )
            ) AS places ON names.name = places.name
            GROUP BY name
        )
    ) AS callables,
    called AS
    (
        SELECT piece_hash
        FROM tool_calls
        PREWHERE toUInt32(piece_hash) GLOBAL IN
        (
            SELECT
                arrayJoin(arrayMap(
                    x -> toUInt32(cityHash64(x.1, x.2, conversation_id)),
                    callables.2[transform(toString(name), callables.1, arrayEnumerate(callables.1), 0)]))
            FROM activations
            ARRAY JOIN arrayConcat(loaded, `refused.name`) AS name
            WHERE time >= lo AND time < hi AND via != 'restore' AND conversation_id != ''
        )
        WHERE time >= lo
    ),
    conversations AS
    (
        SELECT
            conversation, agent, of_provider, model,
            arrayDistinct(arrayConcat(names, again)) AS ids,
            arrayMap(id -> toUInt64(greatest(countEqual(names, id), 1) - 1 + countEqual(again, id)), ids) AS repeats,
            arrayMap(
                pieces -> length(pieces) <= 4 AND NOT arrayExists(p -> p GLOBAL IN (SELECT piece_hash FROM called), pieces),
                arrayMap(id -> arrayMap(x -> cityHash64(x.1, x.2, conversation), callables.2[id]), ids)) AS idles
        FROM
        (
            SELECT
                conversation_id AS conversation, toString(any(agent_name)) AS agent, toString(any(provider_name)) AS of_provider,
                toString(any(request_model)) AS model,
                groupArrayArray(arrayMap(x -> toUInt32(transform(toString(x), callables.1, arrayEnumerate(callables.1), 0)), loaded)) AS names,
                groupArrayArray(arrayMap(x -> toUInt32(transform(toString(x), callables.1, arrayEnumerate(callables.1), 0)),
                    arrayFilter((x, why) -> why = 'already_loaded', `refused.name`, `refused.reason`))) AS again
            FROM activations
            WHERE time >= lo AND time < hi AND via != 'restore' AND conversation_id != ''
            GROUP BY conversation_id
        )
    )
SELECT
    part, if(part = 0, callables.1[any(id)], name) AS key, provider,
    sum(loads) AS loaded, toUInt64(sum(again)) AS repeated, toUInt64(sum(idle)) AS never_called
FROM
(
    SELECT
        part, if(part = 0, id, 0) AS id, multiIf(part = 0, '', part = 1, agent, part = 2, model, conversation) AS name,
        if(part = 2, of_provider, '') AS provider, if(part = 0, toUInt64(1), flagged) AS loads, if(part = 0, repeat, all_repeats) AS again,
        if(part = 0, toUInt64(not_called), all_idle) AS idle
    FROM
    (
        SELECT
            conversation, agent, of_provider, model, ids, repeats, idles,
            toUInt64(arrayCount((r, i) -> r > 0 OR i, repeats, idles)) AS flagged,
            toUInt64(arraySum(repeats)) AS all_repeats, toUInt64(arraySum(idles)) AS all_idle
        FROM conversations
    )
    ARRAY JOIN ids AS id, repeats AS repeat, idles AS not_called, arrayEnumerate(ids) AS place
    -- What is counted once a conversation goes with its first tool.
    ARRAY JOIN if(place = 1 AND flagged > 0, [0, 1, 2, 3], [0]) AS part
)
GROUP BY part, id, name, provider
ORDER BY part, repeated + never_called DESC, key, provider
LIMIT ? BY part
-- The activations are stored in this order, so that a conversation is done before the next begins.
SETTINGS optimize_aggregation_in_order = 1
