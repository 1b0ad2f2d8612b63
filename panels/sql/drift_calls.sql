-- The first drifted calls of each tool and model. Which moments those are is asked first, so that all else is read of few calls.
SELECT
    c.time AS time, toString(c.server) AS server, toString({tool}) AS tool, toString(c.request_model) AS model, toString(c.agent_name) AS agent,
    toString(c.agent_version) AS agent_version, if(c.drift_class IN ('', 'unregistered'), 'validation_error', toString(c.drift_class)) AS how,
    toString(c.used_version) AS used, toString(c.active_version) AS active,
    arrayStringConcat(
        arrayConcat(
            arrayMap(x -> concat('gave ', x), c.unknown_arguments), arrayMap(x -> concat('left ', x, ' empty'), c.defaulted_arguments),
            arraySlice(arrayMap((p, k) -> concat(k, ' at ', p), c.`validation_errors.path`, c.`validation_errors.keyword`), 1, 3)), ', ') AS what,
    toString(c.outcome) AS outcome, c.conversation_id AS conversation
FROM tool_calls AS c
PREWHERE c.time GLOBAL IN
(
    SELECT arrayJoin(groupArraySorted(3)(c.time)) AS at
    FROM tool_calls AS c
    WHERE $__timeFilter(c.time) AND {drifted} AND {scope of calls}
    GROUP BY {hash of tool}, c.request_model
    ORDER BY at
    LIMIT 300
)
WHERE {drifted} AND {scope of calls}
ORDER BY time, conversation
LIMIT 3 BY server, tool, model
LIMIT 100
