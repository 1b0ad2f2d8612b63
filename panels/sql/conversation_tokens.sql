-- What the prompt of each request held, what of it came from the cache, and what a break lost.
SELECT toDateTime64(v.start_time, 3, 'UTC') AS time, v.prompt_tokens AS prompt, v.read_tokens AS read, v.tokens_lost AS lost
FROM request_verdicts AS v FINAL
WHERE $__timeFilter(v.time) AND {verdicts of conversation}
ORDER BY time, v.request
LIMIT 5000
