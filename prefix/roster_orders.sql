-- The lists of tools that each agent's version sent, where it sent more than one: which tools in which order and encoding, and in how many
-- conversations. Lists are those of rosters, and the arrays of requests that name no roster. Rosters are told apart by their digest, so
-- that the tools of one roster of each are read; arrays of requests by a hash, of some requests, the first by conversation.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi,
lists AS
(
    SELECT agent_name, agent_version, server, roster_digest, uniq(conversation_id) AS conversations,
        groupUniqArray(2)(conversation_id) AS some, min(id) AS one
    FROM tool_rosters
    WHERE time >= lo AND time < hi AND release = ''
    GROUP BY agent_name, agent_version, server, roster_digest
),
chosen AS
(
    SELECT *
    FROM lists
    WHERE (agent_name, agent_version, server) IN
        (SELECT agent_name, agent_version, server FROM lists GROUP BY agent_name, agent_version, server HAVING count() > 1)
    ORDER BY conversations DESC, one
    LIMIT 200 BY agent_name, agent_version, server
)
SELECT source, agent, version, of_server, conversations, some, names, wires, definitions
FROM
(
    SELECT 'roster' AS source, toString(c.agent_name) AS agent, toString(c.agent_version) AS version, toString(c.server) AS of_server,
        c.conversations AS conversations, c.some AS some, r.names AS names, r.wires AS wires, r.definitions AS definitions
    FROM chosen AS c
    INNER JOIN
    (
        SELECT id, arrayMap(x -> toString(x), `tools.name`) AS names, arrayMap(x -> substring(x, 1, 32), `tools.wire_digest`) AS wires,
            arrayMap(x -> substring(x, 1, 32), `tools.definition_digest`) AS definitions
        FROM tool_rosters
        PREWHERE id IN (SELECT one FROM chosen)
    ) AS r ON r.id = c.one
    UNION ALL
    SELECT 'request', toString(agent_name), toString(agent_version), '', uniq(conversation_id), groupUniqArray(2)(conversation_id),
        any(arrayMap(x -> toString(x), `tools.name`)), any(`tools.digest`), CAST([], 'Array(String)')
    FROM
    (
        SELECT agent_name, agent_version, conversation_id, `tools.name`, `tools.digest`
        FROM request_prefixes
        WHERE time >= lo AND time < hi AND roster_digest = '' AND tools_known AND notEmpty(`tools.name`)
        ORDER BY conversation_id
        LIMIT ?
    )
    GROUP BY agent_name, agent_version, sipHash128(`tools.name`, `tools.digest`)
)
ORDER BY source, agent, version, of_server, conversations DESC, names, wires
LIMIT 200 BY source, agent, version, of_server
SETTINGS max_rows_to_group_by = 100000, group_by_overflow_mode = 'any'
