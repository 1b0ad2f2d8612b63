-- What was done to tools in the registry and to their switches in a span.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT toString(bucket) AS of, at, toString(server) AS server_name, toString(tool) AS name, toString(agent) AS of_agent, toString(action) AS did,
    toString(version) AS of_version, toString(changed_by) AS done_by
FROM tool_changes FINAL
WHERE at >= lo AND at < hi AND tool IN (?)
ORDER BY at, bucket, revision
LIMIT ?
