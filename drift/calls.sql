-- Calls by server, tool and model, with how they were classified. A call that failed validation has drifted, classified or not.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT
    toString(server) AS server_name,
    toString(if(resolved_name = '', tool_name, resolved_name)) AS tool,
    toString(request_model) AS model,
    count() AS calls,
    countIf(drift_class = 'old_version') AS old_version,
    countIf(drift_class = 'silent_default') AS silent_default,
    countIf(drift_class = 'unknown_argument') AS unknown_argument,
    countIf(drift_class = 'validation_error' OR (drift_class IN ('', 'unregistered') AND outcome = 'validation_error'))
        AS validation_error,
    countIf(drift_class IN ('', 'unregistered') AND outcome != 'validation_error') AS unjudged,
    countIf(outcome = 'execution_error') AS execution_errors,
    arrayMap(x -> toString(x), arraySort(groupUniqArrayArray(8)(defaulted_arguments))) AS defaulted,
    arrayMap(x -> toString(x), arraySort(groupUniqArrayArrayIf(8)(unknown_arguments, drift_class = 'silent_default'))) AS renamed
FROM tool_calls
WHERE time >= lo AND time < hi
GROUP BY server_name, tool, model
ORDER BY server_name, tool, model
