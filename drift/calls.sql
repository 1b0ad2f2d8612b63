-- Calls with how they were classified, by server and tool (part 1), by model as well (2) and by the agent's version as well (3), and by how
-- many of the windows, which all end at hi, they lie in. A call that failed validation has drifted, classified or not. Grouping by the
-- hashes of names, and by the names only what that leaves, is several times as fast: see docs/decisions/098.
WITH
    fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi,
    arrayMap(x -> fromUnixTimestamp64Micro(toInt64(x), 'UTC'), ?) AS starts
SELECT
    part, server_name, tool, if(part = 2, of_model, '') AS model, if(part = 3, of_agent, '') AS agent,
    if(part = 3, of_version, '') AS version, band,
    sum(n) AS calls, sum(n_old) AS old_version, sum(n_silent) AS silent_default, sum(n_unknown) AS unknown_argument,
    sum(n_invalid) AS validation_error, sum(n_unjudged) AS unjudged, sum(n_execution) AS execution_errors, sum(n_refused) AS validation_outcomes
FROM
(
    SELECT
        toString(any(server)) AS server_name,
        toString(if(any(resolved_name) = '', any(tool_name), any(resolved_name))) AS tool,
        toString(any(request_model)) AS of_model,
        toString(any(agent_name)) AS of_agent,
        toString(any(agent_version)) AS of_version,
        toUInt8((time >= starts[1]) + (time >= starts[2]) + (time >= starts[3]) + (time >= starts[4]) + (time >= starts[5])
            + (time >= starts[6]) + (time >= starts[7]) + (time >= starts[8]) + (time >= starts[9])) AS band,
        count() AS n,
        countIf(drift_class = 'old_version') AS n_old,
        countIf(drift_class = 'silent_default') AS n_silent,
        countIf(drift_class = 'unknown_argument') AS n_unknown,
        countIf(drift_class = 'validation_error' OR (drift_class IN ('', 'unregistered') AND outcome = 'validation_error')) AS n_invalid,
        countIf(drift_class IN ('', 'unregistered') AND outcome != 'validation_error') AS n_unjudged,
        countIf(outcome = 'execution_error') AS n_execution,
        countIf(outcome = 'validation_error') AS n_refused
    FROM tool_calls
    WHERE time >= starts[1] AND time < hi
    GROUP BY
        cityHash64(server) + 3 * cityHash64(tool_name) + 5 * cityHash64(resolved_name) + 7 * cityHash64(request_model)
            + 11 * cityHash64(agent_name) + 13 * cityHash64(agent_version) AS names,
        band
)
ARRAY JOIN [1, 2, 3] AS part
GROUP BY part, server_name, tool, model, agent, version, band
ORDER BY part, server_name, tool, model, agent, version, band
