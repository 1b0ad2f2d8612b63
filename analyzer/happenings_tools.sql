-- When each definition of a tool and each release of a server was first seen, and the lists of tools that changed for a known reason.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT happened, server_name, tool, agent, version, reason, of, at
FROM
(
    SELECT
        'definition' AS happened, toString(server) AS server_name, toString(tool_name) AS tool, '' AS agent, toString(any(schema_version)) AS version, '' AS reason,
        if(definition_digest = '', wire_digest, definition_digest) AS of, min(time) AS at
    FROM tool_definitions
    WHERE time < hi AND tool_name IN (?)
    GROUP BY server, tool_name, of
    UNION ALL
    SELECT 'release', toString(server), '', '', toString(release), '', toString(release), min(time)
    FROM tool_rosters
    WHERE time < hi AND release != '' AND server IN (?)
    GROUP BY server, release
    UNION ALL
    SELECT 'roster', toString(if(agent_name = '', server, '')) AS of_server, '', toString(agent_name), '', toString(reason), roster_digest, min(time)
    FROM tool_rosters
    WHERE time >= lo AND time < hi AND release = '' AND reason IN ('deploy', 'permission', 'list_changed')
        AND (agent_name IN (?) OR agent_name = '' AND server IN (?))
    GROUP BY of_server, agent_name, reason, roster_digest
)
ORDER BY at, happened, server_name, tool, agent, version, of
LIMIT ?
