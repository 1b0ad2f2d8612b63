-- How many requests of a window changed what without a break.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT toString(risk) AS changed, count() AS requests
FROM notable_verdicts FINAL
ARRAY JOIN secondary AS risk
WHERE time >= lo AND time < hi AND verdict NOT IN (SELECT arrayJoin(?))
GROUP BY risk
