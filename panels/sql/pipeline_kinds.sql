-- Events by kind: how many, when the latest happened and when the latest was stored.
SELECT kind, n AS events, if(n = 0, NULL, latest) AS last, if(n = 0, NULL, stored) AS last_stored
FROM
(
    {for each kind}SELECT '{kind}' AS kind, count() AS n, max(e.time) AS latest, max(e.ingested_at) AS stored FROM {table} AS e WHERE $__timeFilter(e.time) AND {scope of events}{end}
)
ORDER BY events DESC, kind
