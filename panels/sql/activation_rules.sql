-- Calls whose name was wrong, by rule.
SELECT toString(w.resolution) AS rule, count() AS calls
FROM {calls of wrong names} AS w
GROUP BY w.resolution
ORDER BY calls DESC, rule
