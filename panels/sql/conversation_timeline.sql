-- What happened in a conversation, in order: requests with their verdicts, what broke, calls, and tools that were loaded.
SELECT time, what, name, outcome, detail, tokens, usd, server, tool
FROM
(
    SELECT
        v.time AS time, if(v.verdict IN {breaks}, 'break', 'request') AS what, concat('request ', toString(v.request)) AS name, toString(v.verdict) AS outcome,
        arrayStringConcat(
            arrayConcat(
                if(v.cause = '', [], [concat('because of ', toString(v.cause))]),
                arraySlice(arrayMap((n, k) -> concat(n, ' (', k, ')'), v.`tools.name`, v.`tools.kind`), 1, 5), arrayMap(x -> toString(x), v.params),
                if(v.system_block < 0, [], [concat('system block ', toString(v.system_block))]),
                if(v.message < 0, [], [concat('message ', toString(v.message))]),
                arrayMap(x -> concat('also ', x), v.secondary)), ', ') AS detail,
        if(v.verdict IN {breaks}, v.tokens_lost, v.prompt_tokens) AS tokens, if(v.verdict IN {breaks}, v.lost_usd, v.cost_usd) AS usd,
        '' AS server, '' AS tool, 0 AS rank, v.request AS nth
    FROM request_verdicts AS v FINAL
    WHERE $__timeFilter(v.time) AND {verdicts of conversation}
    UNION ALL
    SELECT
        c.time AS time, 'call' AS what, toString(c.tool_name) AS name, toString(c.outcome) AS outcome,
        arrayStringConcat(
            arrayConcat(
                multiIf(j.resolution != '', [concat(j.resolution, if(j.meant = '', '', concat(', meant ', j.meant)))],
                    c.resolution NOT IN ('', 'ok'), [concat(toString(c.resolution), if(c.resolved_name = '', '', concat(', meant ', toString(c.resolved_name))))], []),
                if(c.drift_class IN ('', 'current', 'unregistered'), [], [toString(c.drift_class)]),
                if(c.attempt > 1, [concat('attempt ', toString(c.attempt))], []),
                if(empty(c.`made_up_ids.path`), [], [concat('made-up id at ', arrayStringConcat(c.`made_up_ids.path`, ', '))]),
                arraySlice(arrayMap((p, k) -> concat(k, ' at ', p), c.`validation_errors.path`, c.`validation_errors.keyword`), 1, 3)), ', ') AS detail,
        if(isNull(c.input_tokens) AND isNull(c.output_tokens), NULL, ifNull(c.input_tokens, 0) + ifNull(c.output_tokens, 0)) AS tokens,
        NULL AS usd, toString(c.server) AS server, toString({tool}) AS tool, 2 AS rank, toInt64(c.seq) AS nth
    FROM tool_calls AS c
    LEFT JOIN {names judged in the conversation} AS j ON c.id = j.id
    WHERE $__timeFilter(c.time) AND {calls of conversation}
    UNION ALL
    SELECT
        a.time AS time, 'activation' AS what, arrayStringConcat(arraySlice(a.asked, 1, 5), ', ') AS name,
        if(empty(a.loaded), 'refused', 'loaded') AS outcome,
        arrayStringConcat(
            arrayConcat([concat('by ', toString(a.via))], arraySlice(arrayMap((n, r) -> concat(n, ': ', r), a.`refused.name`, a.`refused.reason`), 1, 5)),
            ', ') AS detail,
        if(isNull(a.input_tokens) AND isNull(a.output_tokens), NULL, ifNull(a.input_tokens, 0) + ifNull(a.output_tokens, 0)) AS tokens,
        NULL AS usd, toString(a.server) AS server, '' AS tool, 1 AS rank, toInt64(a.seq) AS nth
    FROM activations AS a
    WHERE $__timeFilter(a.time) AND {activations of conversation}
)
ORDER BY time, rank, nth
LIMIT 1000
