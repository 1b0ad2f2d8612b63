-- The share of all calls of a tool that was not loaded yet, where there are five or more. What its sender did not look up
-- and the analyzer did is in judged_calls.
SELECT ifNull(wrong / calls, 0) AS value
FROM
(
    SELECT
        countIf(c.resolution IN ('not_activated'))
            + (SELECT count() FROM judged_calls AS j FINAL WHERE $__timeFilter(j.time) AND j.resolution IN ('not_activated')) AS wrong,
        count() AS calls
    FROM tool_calls AS c
    WHERE $__timeFilter(c.time)
)
WHERE wrong >= 5
