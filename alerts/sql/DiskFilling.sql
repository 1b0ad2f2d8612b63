-- The share of each disk of the store that is used.
SELECT name AS disk, 1 - free_space / total_space AS value
FROM system.disks
WHERE total_space > 0 AND total_space < 9223372036854775807
ORDER BY disk
