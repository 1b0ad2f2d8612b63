-- What a conversation comes to.
SELECT requests, calls, breaks, tokens, usd, wrong_names, drifted
FROM
(
    SELECT count() AS requests, countIf(v.verdict IN {breaks}) AS breaks, {sum of tokens} AS tokens, sum(v.lost_usd) AS usd
    FROM request_verdicts AS v FINAL
    WHERE $__timeFilter(v.time) AND {verdicts of conversation}
) AS asked
CROSS JOIN
(
    SELECT count() AS calls, countIf(if(j.resolution = '', c.resolution, j.resolution) NOT IN ('', 'ok')) AS wrong_names, countIf({drifted}) AS drifted
    FROM tool_calls AS c
    LEFT JOIN {names judged in the conversation} AS j ON c.id = j.id
    WHERE $__timeFilter(c.time) AND {calls of conversation}
) AS called
WHERE requests + calls > 0
