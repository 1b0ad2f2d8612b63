-- Events stored, how long they took to be stored, and events that were refused.
SELECT sum(n) AS events, if(max(behind) < 0, NULL, max(behind)) AS lag, max(last_stored) AS stored, any(letters) AS letters
FROM
(
    {for each kind}SELECT count() AS n, {seconds until 99 of 100 were stored} AS behind, max(e.ingested_at) AS last_stored
    FROM {table} AS e
    WHERE $__timeFilter(e.time) AND {scope of events}
    HAVING n > 0{end}
) AS stored_events
CROSS JOIN (SELECT count() AS letters FROM dead_letters AS l WHERE $__timeFilter(l.time)) AS refused
HAVING events > 0
