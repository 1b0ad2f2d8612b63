-- Tokens spent on later attempts, and on the first attempts that they repeat: of a second attempt the latest first one of the tool in its
-- conversation, up to an hour before. A first attempt counts where its second does. Which pieces of work have a second attempt is asked of the
-- granules of the window, without holding the time of each row against it: that finds some too many.
SELECT
    server, tool, sum(n) AS retries, sum(n_tokens) AS retry_tokens, sum(n_first) AS first_tokens,
    if(first_tokens = 0, NULL, retry_tokens / first_tokens) AS multiple
FROM
(
    SELECT
        toString(any(later.server)) AS server, toString(any(later.tool)) AS tool, count() AS n, sum(later.tokens) AS n_tokens,
        sumIf(first.tokens, later.attempt = 2) AS n_first
    FROM
    (
        SELECT
            c.piece_hash AS piece, c.time AS at, ifNull(c.input_tokens, 0) + ifNull(c.output_tokens, 0) AS tokens, c.attempt AS attempt,
            c.server AS server, {tool} AS tool, {hash of tool} AS names
        FROM tool_calls AS c
        WHERE c.attempt > 1 AND $__timeFilter(c.time) AND c.piece_hash != 0 AND {scope of calls}
    ) AS later
    ASOF LEFT JOIN
    (
        SELECT c.piece_hash AS piece, c.time AS at, ifNull(c.input_tokens, 0) + ifNull(c.output_tokens, 0) AS tokens
        FROM tool_calls AS c
        PREWHERE c.attempt = 1 AND c.piece_hash GLOBAL IN
        (
            SELECT c.piece_hash FROM tool_calls AS c WHERE c.attempt = 2 AND indexHint($__timeFilter(c.time)) AND c.piece_hash != 0 AND {scope of calls}
        )
        WHERE c.time >= $__fromTime - INTERVAL 1 HOUR AND c.time < $__toTime
    ) AS first ON later.piece = first.piece AND later.at >= first.at
    GROUP BY later.names
)
GROUP BY server, tool
ORDER BY multiple DESC NULLS LAST, retry_tokens DESC, server, tool
LIMIT 100
