-- Names that were asked for and not loaded, by reason.
SELECT $__timeInterval(a.time) AS time, toString(reason) AS series, count() AS names
FROM activations AS a
ARRAY JOIN a.`refused.reason` AS reason
WHERE $__timeFilter(a.time) AND reason != 'already_loaded' AND {scope of activations}
GROUP BY time, reason
ORDER BY time, series
