-- What changed from one list of tools to the next of the same server, or of the same agent where the list names no server. The list of a release
-- counts once, where it was seen first, and of two tools of one name the first.
WITH lists AS
(
    SELECT
        toString(r.server) AS server, toString(if(r.server = '', r.agent_name, '')) AS agent, toString(r.release) AS release,
        toString(r.roster_digest) AS digest, min(r.time) AS at, min((r.lane, r.seq, r.pos)) AS place,
        argMin(arrayMap(x -> toString(x), r.`tools.name`), (r.time, r.lane, r.seq, r.pos)) AS names,
        argMin(r.`tools.definition_digest`, (r.time, r.lane, r.seq, r.pos)) AS definitions,
        argMin(r.`tools.schema_digest`, (r.time, r.lane, r.seq, r.pos)) AS schemas
    FROM tool_rosters AS r
    WHERE r.time < $__toTime AND r.reason IN ('deploy', 'list_changed') AND (r.server != '' OR r.release != '') AND {scope of lists}
    GROUP BY server, agent, release, digest
)
SELECT
    at, server, agent, before AS from_release, if(release = '', left(digest, 12), release) AS to_release, length(was) AS tools_before, length(names) AS tools_after,
    arrayCount(x -> NOT has(was, x), names) AS added, arrayCount(x -> NOT has(names, x), was) AS removed,
    arrayCount((x, d) -> has(was, x) AND was_definitions[indexOf(was, x)] != d, names, definitions) AS definition_changed,
    arrayCount((x, d) -> has(was, x) AND was_schemas[indexOf(was, x)] != d, names, schemas) AS schema_changed,
    if(tools_before = 0, 0, (schema_changed + removed) / tools_before) AS ratio
FROM
(
    SELECT
        server, agent, release, digest, at, names, definitions, schemas,
        lagInFrame(names) OVER following AS was, lagInFrame(definitions) OVER following AS was_definitions, lagInFrame(schemas) OVER following AS was_schemas,
        lagInFrame(if(release = '', left(digest, 12), release)) OVER following AS before, row_number() OVER following AS nth
    FROM lists
    WINDOW following AS (PARTITION BY server, agent ORDER BY at, place ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
)
WHERE nth > 1 AND $__timeFilter(at)
ORDER BY at DESC, server, agent
LIMIT 100
