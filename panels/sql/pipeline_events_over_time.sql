-- Events stored by kind.
SELECT $__timeInterval(ingested_at) AS time, 'tool_call' AS series, count() AS events
FROM tool_calls
WHERE $__timeFilter(ingested_at)
GROUP BY time
ORDER BY time
