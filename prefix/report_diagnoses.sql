-- How the providers' own diagnoses stand beside the verdicts of a window.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT toString(agreement) AS stands, count() AS requests
FROM notable_verdicts FINAL
WHERE time >= lo AND time < hi AND agreement != ''
GROUP BY agreement
SETTINGS do_not_merge_across_partitions_select_final = 1
