-- What the sources themselves say their requests cost, in US dollars.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT count(stated_cost_usd) AS stated, ifNull(sum(stated_cost_usd), 0) AS usd
FROM request_prefixes WHERE time >= lo AND time < hi
