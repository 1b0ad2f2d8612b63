-- Tokens spent on later attempts, and on the first attempts that they repeat: of a second attempt the latest first one of the tool in its
-- conversation, up to an hour before. By parts and windows as in calls.sql; a first attempt counts where its second does. Which pieces of work
-- have a second attempt is asked of the granules of the window, without holding each row's time against it: that finds some too many. Asking
-- for the piece before the time spares most calls the reading of more.
WITH
    fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi,
    arrayMap(x -> fromUnixTimestamp64Micro(toInt64(x), 'UTC'), ?) AS starts
SELECT
    part, server_name, tool, if(part = 2, of_model, '') AS model, if(part = 3, of_agent, '') AS agent,
    if(part = 3, of_version, '') AS version, band,
    sum(n) AS retries, sum(n_tokens) AS retry_tokens, sum(n_first) AS first_tokens
FROM
(
    SELECT
        toString(any(later.server)) AS server_name,
        toString(if(any(later.resolved_name) = '', any(later.tool_name), any(later.resolved_name))) AS tool,
        toString(any(later.request_model)) AS of_model,
        toString(any(later.agent_name)) AS of_agent,
        toString(any(later.agent_version)) AS of_version,
        later.band AS band,
        count() AS n, sum(later.tokens) AS n_tokens, sumIf(first.tokens, later.attempt = 2) AS n_first
    FROM
    (
        SELECT
            piece_hash AS piece,
            time AS at,
            ifNull(input_tokens, 0) + ifNull(output_tokens, 0) AS tokens,
            attempt, server, tool_name, resolved_name, request_model, agent_name, agent_version,
            cityHash64(server) + 3 * cityHash64(tool_name) + 5 * cityHash64(resolved_name) + 7 * cityHash64(request_model)
                + 11 * cityHash64(agent_name) + 13 * cityHash64(agent_version) AS names,
            toUInt8((time >= starts[1]) + (time >= starts[2]) + (time >= starts[3]) + (time >= starts[4]) + (time >= starts[5])
                + (time >= starts[6]) + (time >= starts[7]) + (time >= starts[8]) + (time >= starts[9])) AS band
        FROM tool_calls
        WHERE attempt > 1 AND time >= starts[1] AND time < hi AND piece_hash != 0
    ) AS later
    ASOF LEFT JOIN
    (
        SELECT
            piece_hash AS piece,
            time AS at,
            ifNull(input_tokens, 0) + ifNull(output_tokens, 0) AS tokens
        FROM tool_calls
        PREWHERE attempt = 1 AND piece_hash GLOBAL IN
        (
            SELECT piece_hash
            FROM tool_calls
            WHERE attempt = 2 AND indexHint(time >= starts[1] AND time < hi) AND piece_hash != 0
        )
        WHERE time >= starts[1] - INTERVAL 1 HOUR AND time < hi
    ) AS first ON later.piece = first.piece AND later.at >= first.at
    GROUP BY later.names, later.band
)
ARRAY JOIN [1, 2, 3] AS part
GROUP BY part, server_name, tool, model, agent, version, band
ORDER BY part, server_name, tool, model, agent, version, band
