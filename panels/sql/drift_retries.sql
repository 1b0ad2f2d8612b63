-- Of calls that name their conversation (agents of one conversation are one): tokens spent on later attempts, and on the first attempts that they repeat: of a second attempt the latest first one of the tool in its
-- conversation, up to an hour before the window. A first attempt counts where its second does. Which pieces of work have a later attempt is asked of
-- the granules of the window, without holding the time of each row against it: that finds some too many.
SELECT
    server, tool, sum(length(later)) AS retries, sum(arraySum(x -> x.3, later)) AS retry_tokens,
    sum(arraySum(x -> if(x.2 = 2, arrayLast(y -> y.1 <= x.1, firsts).2, 0), later)) AS first_tokens,
    if(first_tokens = 0, NULL, retry_tokens / first_tokens) AS multiple
FROM
(
    SELECT
        toString(any(c.server)) AS server, toString(any({tool})) AS tool,
        groupArrayIf((c.time, c.attempt, ifNull(c.input_tokens, 0) + ifNull(c.output_tokens, 0) AS tokens), c.attempt > 1 AND $__timeFilter(c.time) AND {scope of calls}) AS later,
        arraySort(groupArrayIf((c.time, tokens), c.attempt = 1)) AS firsts
    FROM tool_calls AS c
    PREWHERE c.piece_hash GLOBAL IN
    (
        SELECT c.piece_hash FROM tool_calls AS c WHERE c.attempt > 1 AND indexHint($__timeFilter(c.time)) AND c.piece_hash != 0 AND {scope of calls}
    )
    WHERE c.time >= $__fromTime - INTERVAL 1 HOUR AND c.time < $__toTime
    GROUP BY c.piece_hash
    HAVING notEmpty(later)
)
GROUP BY server, tool
ORDER BY multiple DESC NULLS LAST, retry_tokens DESC, server, tool
LIMIT 100
