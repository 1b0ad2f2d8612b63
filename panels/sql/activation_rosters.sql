-- Tools whose summary was cut in a roster, each roster once.
SELECT server, tool, max(length) AS longest, uniqExact(digest) AS rosters, arrayStringConcat(arraySort(groupUniqArrayArray(5)(agents)), ', ') AS agents, max(at) AS last
FROM
(
    SELECT if(tool_server = '', of_server, tool_server) AS server, tool, length, digest, agents, at
    FROM
    (
        SELECT
            r.roster_digest AS digest, toString(any(r.server)) AS of_server, arrayMap(x -> toString(x), any(r.`tools.name`)) AS names,
            arrayMap(x -> toString(x), any(r.`tools.server`)) AS servers, any(r.`tools.summary_cut`) AS cuts, any(r.`tools.summary_length`) AS lengths,
            arrayFilter(x -> x != '', groupUniqArray(5)(toString(r.agent_name))) AS agents, max(r.time) AS at
        FROM tool_rosters AS r
        WHERE $__timeFilter(r.time) AND {scope of rosters}
        GROUP BY digest
        HAVING has(cuts, true)
    )
    ARRAY JOIN names AS tool, servers AS tool_server, cuts AS cut, lengths AS length
    WHERE cut
)
GROUP BY server, tool
ORDER BY longest DESC, rosters DESC, server, tool
LIMIT 200
