-- Calls, those that drifted, and the ratio within its interval.
SELECT {ratio of drifted to calls}, calls, drifted, unjudged
FROM
(
    SELECT count() AS calls, countIf({drifted}) AS drifted, countIf({unjudged}) AS unjudged
    FROM tool_calls AS c
    WHERE $__timeFilter(c.time) AND {scope of calls}
)
WHERE calls > 0
