-- Loads by tool (part 0), and of those that broke a rule by agent (1), model (2) and conversation (3): in how many conversations, how many of those
-- never called it, and how many loads only repeated another. Whether a tool was called is asked by the hash of server, tool and conversation that
-- each call has, since calls are many: first under which servers and tools the loaded names are called, then for those hashes alone. Of a name
-- that is called under more than four it is not asked: it counts as called.
WITH
    fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi,
    (
        SELECT (groupArray(name), groupArray(pairs))
        FROM
        (
            SELECT names.name AS name, arrayFilter(x -> x.2 != '', groupArray((places.of_server, places.tool))) AS pairs
            FROM
            (
                SELECT DISTINCT toString(arrayJoin(arrayConcat(loaded, `refused.name`))) AS name FROM activations WHERE time >= lo AND time < hi
            ) AS names
            LEFT JOIN
            (
                SELECT DISTINCT of_server, tool, arrayJoin([called, tool]) AS name
                FROM
                (
                    SELECT toString(server) AS of_server, toString(tool_name) AS called, toString(if(resolved_name = '', tool_name, resolved_name)) AS tool
                    FROM tool_calls
                    WHERE time >= lo
                    GROUP BY server, tool_name, resolved_name
                )
            ) AS places ON names.name = places.name
            GROUP BY name
        )
    ) AS callables,
    loads AS
    (
        SELECT
            conversation, agent, of_provider, model,
            arrayJoin(arrayDistinct(arrayConcat(names, again))) AS id,
            toUInt64(greatest(countEqual(names, id), 1) - 1 + countEqual(again, id)) AS repeats,
            arrayMap(x -> cityHash64(x.1, x.2, conversation), callables.2[id]) AS pieces
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
    ),
    called AS
    (
        SELECT piece_hash FROM tool_calls WHERE time >= lo AND piece_hash GLOBAL IN (SELECT arrayJoin(pieces) FROM loads)
    )
SELECT
    part,
    multiIf(part = 0, callables.1[id], part = 1, agent, part = 2, model, conversation) AS key,
    if(part = 2, of_provider, '') AS provider,
    count() AS loaded, toUInt64(sum(repeats)) AS repeated, toUInt64(sum(idle)) AS never_called
FROM
(
    SELECT
        conversation, id, agent, of_provider, model, repeats,
        length(pieces) <= 4 AND pieces[1] GLOBAL NOT IN (SELECT piece_hash FROM called) AND pieces[2] GLOBAL NOT IN (SELECT piece_hash FROM called)
            AND pieces[3] GLOBAL NOT IN (SELECT piece_hash FROM called) AND pieces[4] GLOBAL NOT IN (SELECT piece_hash FROM called) AS idle
    FROM loads
)
ARRAY JOIN if(idle OR repeats > 0, [0, 1, 2, 3], [0]) AS part
GROUP BY part, key, provider
ORDER BY part, repeated + never_called DESC, key, provider
LIMIT ? BY part
-- The activations are stored in this order, so that a conversation is done before the next begins. A day of two million loads goes to disk in part.
SETTINGS optimize_aggregation_in_order = 1, max_bytes_before_external_group_by = 60000000
