-- What the requests of a window came to, by agent and day in UTC. The bounds are those of the requests that were seen.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT toString(agent_name) AS agent, toString(toDate(time, 'UTC')) AS day, count() AS requests, countIf(broke) AS breaks,
    sumIf(tokens_lost, broke) AS tokens, sumIf(lost_usd, broke) AS usd, sum(cost_usd) AS cost, min(time) AS first, max(time) AS last
FROM
(
    SELECT agent_name, time, verdict IN (SELECT arrayJoin(?)) AS broke, tokens_lost, lost_usd, cost_usd
    FROM request_verdicts FINAL
    WHERE time >= lo AND time < hi
)
GROUP BY agent_name, toDate(time, 'UTC')
ORDER BY day, agent
