-- The arguments of silent defaults by server, tool and model: the present names, and what the calls said instead.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT
    toString(server) AS server_name,
    toString(if(resolved_name = '', tool_name, resolved_name)) AS tool,
    toString(request_model) AS model,
    arrayMap(x -> toString(x), arraySort(groupUniqArrayArray(8)(defaulted_arguments))) AS defaulted,
    arrayMap(x -> toString(x), arraySort(groupUniqArrayArray(8)(if(empty(renamed_arguments), unknown_arguments, renamed_arguments)))) AS renamed
FROM tool_calls
WHERE drift_class = 'silent_default' AND time >= lo AND time < hi
GROUP BY server_name, tool, model
ORDER BY server_name, tool, model
