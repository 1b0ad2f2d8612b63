-- What happened in a conversation, in order.
SELECT time, what, name, outcome, detail, tokens
FROM
(
    SELECT time, 'call' AS what, toString({tool}) AS name, toString(outcome) AS outcome, toString(drift_class) AS detail,
        ifNull(input_tokens, 0) + ifNull(output_tokens, 0) AS tokens
    FROM tool_calls
    WHERE $__timeFilter(time) AND {conversation}
)
ORDER BY time
LIMIT 1000
