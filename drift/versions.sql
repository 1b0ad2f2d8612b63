-- Calls by tool and the version that they used, claimed where nobody judged them, in whole hours. Answered by the projection version_use,
-- which holds a row a version, hour and part.
SELECT server_name, tool, version, sum(calls) AS calls, max(hour) AS last
FROM
(
    SELECT
        toString(server) AS server_name,
        toString(if(resolved_name = '', tool_name, resolved_name)) AS tool,
        toString(if(used_version = '', schema_version, used_version)) AS version,
        hour, calls
    FROM
    (
        SELECT toStartOfHour(time) AS hour, server, tool_name, resolved_name, used_version, schema_version, count() AS calls
        FROM tool_calls
        WHERE toStartOfHour(time) >= toDateTime(toUInt32(?), 'UTC') AND toStartOfHour(time) < toDateTime(toUInt32(?), 'UTC')
        GROUP BY hour, server, tool_name, resolved_name, used_version, schema_version
    )
)
GROUP BY server_name, tool, version
ORDER BY server_name, tool, version
