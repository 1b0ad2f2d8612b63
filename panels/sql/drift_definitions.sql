-- Definitions of tools that took the place of another one of theirs: what changed, and under which version and release it was seen first.
SELECT at, server, agent, tool, schema_version AS version, release, if(schema = was_schema, 'description', 'schema') AS changed
FROM
(
    SELECT
        server, agent, tool, schema_version, release, definition, schema, at,
        lagInFrame(schema) OVER following AS was_schema, row_number() OVER following AS nth
    FROM
    (
        SELECT
            toString(d.server) AS server, toString(d.agent_name) AS agent, toString(d.tool_name) AS tool, d.definition_digest AS definition, d.schema_digest AS schema,
            argMin(toString(d.schema_version), d.time) AS schema_version, argMin(toString(d.release), d.time) AS release, min(d.time) AS at
        FROM tool_definitions AS d
        WHERE d.time < $__toTime AND {scope of definitions}
        GROUP BY server, agent, tool, definition, schema
    )
    WINDOW following AS (PARTITION BY server, agent, tool ORDER BY at ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
)
WHERE nth > 1 AND $__timeFilter(at)
ORDER BY at DESC, server, tool, agent
LIMIT 200
