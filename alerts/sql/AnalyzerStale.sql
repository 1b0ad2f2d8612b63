-- Seconds for which requests that are stored wait for a verdict: 0 where none waits.
SELECT toFloat64(max(if(newest.stored > p.noted_at, dateDiff('second', p.noted_at, $__toTime), 0))) AS value
FROM detector_progress AS p FINAL
INNER JOIN
(
    SELECT CAST(r.lane AS String) AS lane, max(r.ingested_at) AS stored FROM request_prefixes AS r WHERE $__timeFilter(r.ingested_at) GROUP BY lane
) AS newest ON p.lane = newest.lane
HAVING count() > 0
