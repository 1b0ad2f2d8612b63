-- The share of all calls by a name that the model made up, where there are five or more.
SELECT countIf(c.resolution IN ('guessed', 'unknown', 'prefix_repair', 'connector_name')) / count() AS value
FROM tool_calls AS c
WHERE $__timeFilter(c.time)
HAVING countIf(c.resolution IN ('guessed', 'unknown', 'prefix_repair', 'connector_name')) >= 5
