-- Tokens spent on later attempts beside those of the first attempts they repeat, by tool. A first attempt is repeated when the
-- next call of the tool in its conversation is a second attempt.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT
    server_name, tool,
    countIf(attempt > 1) AS retries,
    sumIf(tokens, attempt > 1) AS retry_tokens,
    sumIf(tokens, attempt = 1 AND next_attempt = 2) AS first_tokens
FROM
(
    SELECT
        toString(server) AS server_name,
        toString(if(resolved_name = '', tool_name, resolved_name)) AS tool,
        attempt,
        ifNull(input_tokens, 0) + ifNull(output_tokens, 0) AS tokens,
        leadInFrame(attempt) OVER
        (
            PARTITION BY server, if(resolved_name = '', tool_name, resolved_name), conversation_id
            ORDER BY time, lane, seq, pos
            ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
        ) AS next_attempt
    FROM tool_calls
    WHERE time >= lo AND time < hi AND attempt > 0 AND conversation_id != ''
)
GROUP BY server_name, tool
HAVING retries > 0
ORDER BY server_name, tool
