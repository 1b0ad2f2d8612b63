-- Calls by tool and the version that they used, claimed where nobody judged them, in whole hours. Without other variables than server and tool
-- a projection answers it.
SELECT server, tool, version, sum(n) AS calls, calls / sum(calls) OVER (PARTITION BY server, tool) AS share, max(hour) AS last
FROM
(
    SELECT
        toString(c.server) AS server, toString({tool}) AS tool, toString(if(c.used_version = '', c.schema_version, c.used_version)) AS version,
        toStartOfHour(c.time) AS hour, count() AS n
    FROM tool_calls AS c
    WHERE $__timeFilter(hour) AND {scope of calls}
    GROUP BY hour, c.server, c.tool_name, c.resolved_name, c.used_version, c.schema_version
)
GROUP BY server, tool, version
ORDER BY server, tool, calls DESC, version
LIMIT 500
