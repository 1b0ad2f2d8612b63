-- Tools that an agent's list names as not permitted, though their server gives its own list of tools and the newest one has no tool of that name,
-- in whatever of the usual ways it is written with its server. A list in which a server's tools are all absent was never given.
WITH
    fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi,
    lists AS
    (
        SELECT toString(server) AS of_server, argMax(arrayMap(x -> toString(x), `tools.name`), time) AS names
        FROM tool_rosters
        WHERE server != '' AND time < hi
        GROUP BY of_server
    )
SELECT denied.of_server AS server_name, denied.name AS name, denied.agents AS agents, denied.rosters AS rosters
FROM
(
    SELECT of_server, name, arraySort(groupUniqArray(20)(agent)) AS agents, uniqExact(roster_digest) AS rosters
    FROM
    (
        SELECT
            toString(if(agent_name = '', source, agent_name)) AS agent, roster_digest,
            arrayJoin(arrayFilter(x -> x.3,
                arrayZip(arrayMap(x -> toString(x), `tools.name`), arrayMap(x -> toString(x), `tools.server`), `tools.denied`))) AS entry,
            entry.1 AS name, entry.2 AS of_server
        FROM tool_rosters
        WHERE server = '' AND time >= lo AND time < hi
    )
    WHERE of_server != ''
    GROUP BY of_server, name
) AS denied
INNER JOIN lists ON denied.of_server = lists.of_server
WHERE NOT arrayExists(
    x -> has([
        x, concat('mcp__', denied.of_server, '__', x), concat(denied.of_server, '__', x), concat(denied.of_server, '.', x),
        concat(denied.of_server, '/', x), concat(denied.of_server, ':', x)], denied.name),
    lists.names)
ORDER BY server_name, name
