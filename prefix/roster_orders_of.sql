-- How many requests name no roster, so that their own arrays are the lists of tools that were sent.
SELECT toInt64(count()) AS number
FROM request_prefixes
WHERE time >= fromUnixTimestamp64Micro(toInt64(?), 'UTC') AND time < fromUnixTimestamp64Micro(toInt64(?), 'UTC')
    AND roster_digest = '' AND tools_known AND notEmpty(`tools.name`)
