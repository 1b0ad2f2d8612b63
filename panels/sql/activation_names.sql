-- Names that were wrong, and the tool that was meant. The hash of tool and conversation counts conversations: of one name all calls mean one tool.
-- The conversation of the latest call is asked of those calls alone: ids of all take longer to read than all else.
WITH
    (
        SELECT groupArray(CAST(
            (rule, how, server, called, meant, calls, tokens, conversations, models, last),
            'Tuple(rule String, how String, server String, called String, meant String, calls UInt64, tokens UInt64, conversations UInt64, models String, last DateTime64(6, \'UTC\'))'))
        FROM
        (
            SELECT
                {name of call}, count() AS calls, sum(ifNull(w.input_tokens, 0) + ifNull(w.output_tokens, 0)) AS tokens,
                uniqIf(w.piece_hash, w.piece_hash != 0) + max(w.piece_hash = 0) AS conversations,
                arrayStringConcat(arraySort(groupUniqArrayIf(5)(toString(w.request_model), w.request_model != '')), ', ') AS models, max(w.time) AS last
            FROM {calls of wrong names} AS w
            GROUP BY rule, how, server, called, meant
            ORDER BY calls DESC, rule, called, meant
            LIMIT 200
        )
    ) AS worst
SELECT
    name.rule AS rule, name.how AS how, name.server AS server, name.called AS called, name.meant AS meant, name.calls AS calls, name.tokens AS tokens,
    name.conversations AS conversations, name.models AS models, name.last AS last, seen.conversation AS conversation
FROM (SELECT arrayJoin(worst) AS name) AS names
LEFT JOIN
(
    SELECT {name of call}, w.time AS at, any(w.conversation_id) AS conversation
    FROM {calls of wrong names} AS w
    WHERE w.time GLOBAL IN (SELECT arrayJoin(worst.last))
    GROUP BY rule, how, server, called, meant, at
) AS seen
ON name.rule = seen.rule AND name.how = seen.how AND name.server = seen.server AND name.called = seen.called AND name.meant = seen.meant AND name.last = seen.at
ORDER BY calls DESC, rule, called, meant
LIMIT 200
