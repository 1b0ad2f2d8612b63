-- Calls whose name was looked up, those whose name was wrong, their tokens, made-up ids, and names that were asked for and not loaded.
SELECT judged, wrong, if(judged = 0, NULL, wrong / judged) AS share, tokens, made_up_ids, refused
FROM
(
    SELECT countIf(c.resolution != '') + {calls looked up later} AS judged, sum(length(c.`made_up_ids.digest`)) AS made_up_ids
    FROM tool_calls AS c
    WHERE $__timeFilter(c.time) AND {scope of calls}
) AS calls
CROSS JOIN
(
    SELECT count() AS wrong, sum(ifNull(w.input_tokens, 0) + ifNull(w.output_tokens, 0)) AS tokens FROM {calls of wrong names} AS w
) AS names
CROSS JOIN
(
    SELECT sum(arrayCount(x -> x != 'already_loaded', a.`refused.reason`)) AS refused
    FROM activations AS a
    WHERE $__timeFilter(a.time) AND {scope of activations}
) AS asked
