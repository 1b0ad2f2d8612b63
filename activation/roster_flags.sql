-- What is wrong with rosters themselves, each roster once: summaries that were cut, and names that become one when case and
-- separators are dropped.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi,
lists AS
(
    SELECT
        roster_digest,
        toString(any(server)) AS of_server,
        arrayMap(x -> toString(x), any(`tools.name`)) AS tool_names,
        arrayMap(x -> toString(x), any(`tools.server`)) AS tool_servers,
        any(`tools.summary_cut`) AS cuts,
        any(`tools.summary_length`) AS lengths
    FROM tool_rosters
    WHERE time >= lo AND time < hi
    GROUP BY roster_digest
)
SELECT 'summary_cut' AS rule, server_name, [name] AS names, max(length) AS longest, uniqExact(roster_digest) AS rosters
FROM
(
    SELECT roster_digest, if(tool_server = '', of_server, tool_server) AS server_name, name, cut, length
    FROM lists ARRAY JOIN tool_names AS name, tool_servers AS tool_server, cuts AS cut, lengths AS length
)
WHERE cut
GROUP BY server_name, name
UNION ALL
SELECT 'name_collision' AS rule, '' AS server_name, names, toInt64(0) AS longest, uniqExact(roster_digest) AS rosters
FROM
(
    SELECT roster_digest, replaceRegexpAll(lower(name), '[-_.]', '') AS folded, arraySort(groupArray(name)) AS names
    FROM lists ARRAY JOIN tool_names AS name
    GROUP BY roster_digest, folded
    HAVING count() > 1
)
GROUP BY names
ORDER BY rule, server_name, names
