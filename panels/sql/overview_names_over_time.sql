-- Calls whose name was wrong, and ids that were made up.
SELECT
    $__timeInterval(c.time) AS time, countIf(c.resolution NOT IN ('', 'ok')) AS wrong_names, sum(length(c.`made_up_ids.digest`)) AS made_up_ids
FROM tool_calls AS c
WHERE $__timeFilter(c.time) AND (c.resolution NOT IN ('', 'ok') OR notEmpty(c.`made_up_ids.digest`)) AND {scope of calls}
GROUP BY time
ORDER BY time
