-- Calls whose name was wrong, by rule.
SELECT toString(c.resolution) AS rule, count() AS calls
FROM tool_calls AS c
WHERE $__timeFilter(c.time) AND c.resolution NOT IN ('', 'ok') AND {scope of calls}
GROUP BY c.resolution
ORDER BY calls DESC, rule
