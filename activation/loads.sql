-- Loads by tool (part 0), agent (1), model (2) and conversation (3): in how many conversations, how many of those never called it, and how many
-- loads only repeated another. Whether a tool was called is asked by the hash of server, tool and conversation that each call has, since calls are
-- many: first under which servers and tools the loaded names are called, then for those hashes alone.
WITH
    fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi,
    loads AS
    (
        SELECT
            conversation, name, sipHash64(conversation, name) AS load_hash, any(agent) AS of_agent, any(of_provider) AS load_provider,
            any(model) AS of_model,
            countIf(NOT again) AS times,
            toUInt64(if(times > 0, times - 1, 0) + countIf(again)) AS repeats
        FROM
        (
            SELECT
                conversation_id AS conversation, entry.1 AS name, entry.2 AS again,
                toString(agent_name) AS agent, toString(provider_name) AS of_provider, toString(request_model) AS model
            FROM activations
            ARRAY JOIN arrayConcat(
                arrayMap(x -> (toString(x), 0), loaded),
                arrayMap(x -> (toString(x), 1),
                    arrayFilter((x, why) -> why = 'already_loaded', `refused.name`, `refused.reason`))) AS entry
            WHERE time >= lo AND time < hi AND via != 'restore' AND conversation_id != ''
        )
        GROUP BY conversation, name
    ),
    pieces AS
    (
        SELECT loads.load_hash AS load_hash, cityHash64(callables.of_server, callables.tool, loads.conversation) AS piece
        FROM loads
        INNER JOIN
        (
            SELECT DISTINCT of_server, tool, arrayJoin([called, tool]) AS name
            FROM
            (
                SELECT toString(server) AS of_server, toString(tool_name) AS called, toString(if(resolved_name = '', tool_name, resolved_name)) AS tool
                FROM tool_calls
                WHERE time >= lo
                GROUP BY server, tool_name, resolved_name
            )
        ) AS callables ON loads.name = callables.name
    )
SELECT
    part,
    multiIf(part = 0, name, part = 1, of_agent, part = 2, of_model, conversation) AS key,
    if(part = 2, load_provider, '') AS provider,
    count() AS loaded, toUInt64(sum(repeats)) AS repeated, toUInt64(sum(idle)) AS never_called,
    countIf(repeats > 0) AS repeating
FROM
(
    SELECT
        conversation, name, of_agent, load_provider, of_model, repeats,
        load_hash GLOBAL NOT IN
        (
            SELECT load_hash
            FROM pieces
            WHERE piece GLOBAL IN
            (
                SELECT piece_hash
                FROM tool_calls
                WHERE time >= lo AND piece_hash GLOBAL IN (SELECT piece FROM pieces)
                GROUP BY piece_hash
            )
        ) AS idle
    FROM loads
)
ARRAY JOIN [0, 1, 2, 3] AS part
GROUP BY part, key, provider
ORDER BY part, repeated + never_called DESC, key, provider
LIMIT ? BY part
