-- Events stored, by kind and by when they happened.
SELECT time, series, events
FROM
(
    {for each kind}SELECT $__timeInterval(e.time) AS time, '{kind}' AS series, count() AS events FROM {table} AS e WHERE $__timeFilter(e.time) AND {scope of events} GROUP BY time{end}
)
ORDER BY time, series
