-- Calls whose name was looked up, those whose name was wrong, their tokens, made-up ids, and names that were asked for and not loaded.
SELECT judged, wrong, if(judged = 0, NULL, wrong / judged) AS share, tokens, made_up_ids, refused
FROM
(
    SELECT
        countIf(c.resolution != '') AS judged, countIf(c.resolution NOT IN ('', 'ok')) AS wrong,
        sumIf(ifNull(c.input_tokens, 0) + ifNull(c.output_tokens, 0), c.resolution NOT IN ('', 'ok')) AS tokens,
        sum(length(c.`made_up_ids.digest`)) AS made_up_ids
    FROM tool_calls AS c
    WHERE $__timeFilter(c.time) AND {scope of calls}
) AS calls
CROSS JOIN
(
    SELECT sum(arrayCount(x -> x != 'already_loaded', a.`refused.reason`)) AS refused
    FROM activations AS a
    WHERE $__timeFilter(a.time) AND {scope of activations}
) AS asked
