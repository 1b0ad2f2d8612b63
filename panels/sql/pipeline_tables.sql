-- What the tables hold on this server.
SELECT
    table, sum(rows) AS rows, sum(bytes_on_disk) AS bytes, if(rows = 0, NULL, bytes / rows) AS row_bytes, count() AS parts, max(modification_time) AS modified
FROM system.parts
WHERE active AND database = currentDatabase()
GROUP BY table
ORDER BY bytes DESC, table
LIMIT 50
