-- Tokens spent on later attempts, and on the first attempts that they repeat: of a second attempt the latest first one of the tool in its
-- conversation, up to an hour before. By parts and windows as in calls.sql; a first attempt counts where its second does.
WITH
    fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi,
    arrayMap(x -> fromUnixTimestamp64Micro(toInt64(x), 'UTC'), ?) AS starts
SELECT
    part, server_name, tool, if(part = 2, of_model, '') AS model, if(part = 3, of_agent, '') AS agent,
    if(part = 3, of_version, '') AS version, band,
    count() AS retries, sum(tokens) AS retry_tokens, sum(if(nth = 2, tokens_before, 0)) AS first_tokens
FROM
(
    SELECT
        cityHash64(server) + 3 * if(resolved_name = '', cityHash64(tool_name), cityHash64(resolved_name)) + 5 * conversation_hash AS piece,
        time AS at,
        attempt AS nth,
        ifNull(input_tokens, 0) + ifNull(output_tokens, 0) AS tokens,
        toString(server) AS server_name,
        toString(if(resolved_name = '', tool_name, resolved_name)) AS tool,
        toString(request_model) AS of_model,
        toString(agent_name) AS of_agent,
        toString(agent_version) AS of_version,
        toUInt8((time >= starts[1]) + (time >= starts[2]) + (time >= starts[3]) + (time >= starts[4]) + (time >= starts[5])
            + (time >= starts[6]) + (time >= starts[7]) + (time >= starts[8]) + (time >= starts[9])) AS band
    FROM tool_calls
    WHERE attempt > 1 AND time >= starts[1] AND time < hi AND conversation_hash != cityHash64('')
) AS later
ASOF LEFT JOIN
(
    SELECT
        cityHash64(server) + 3 * if(resolved_name = '', cityHash64(tool_name), cityHash64(resolved_name)) + 5 * conversation_hash AS piece,
        time AS at,
        ifNull(input_tokens, 0) + ifNull(output_tokens, 0) AS tokens_before
    FROM tool_calls
    WHERE attempt = 1 AND time >= starts[1] - INTERVAL 1 HOUR AND time < hi AND piece GLOBAL IN
    (
        SELECT cityHash64(server) + 3 * if(resolved_name = '', cityHash64(tool_name), cityHash64(resolved_name)) + 5 * conversation_hash
        FROM tool_calls
        WHERE attempt = 2 AND time >= starts[1] AND time < hi AND conversation_hash != cityHash64('')
    )
) AS first ON later.piece = first.piece AND later.at >= first.at
ARRAY JOIN [1, 2, 3] AS part
GROUP BY part, server_name, tool, model, agent, version, band
ORDER BY part, server_name, tool, model, agent, version, band
