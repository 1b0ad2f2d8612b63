-- Calls whose name was wrong, and ids that were made up.
SELECT time, sum(n_wrong) AS wrong_names, sum(n_made_up) AS made_up_ids
FROM
(
    SELECT $__timeInterval(w.time) AS time, count() AS n_wrong, 0 AS n_made_up FROM {calls of wrong names} AS w GROUP BY time
    UNION ALL
    SELECT $__timeInterval(c.time) AS time, 0 AS n_wrong, sum(length(c.`made_up_ids.digest`)) AS n_made_up
    FROM tool_calls AS c
    WHERE $__timeFilter(c.time) AND notEmpty(c.`made_up_ids.digest`) AND {scope of calls}
    GROUP BY time
)
GROUP BY time
ORDER BY time
