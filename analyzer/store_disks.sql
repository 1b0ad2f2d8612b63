-- How full the store's disks are. Remote disks tell no size.
SELECT name, free_space AS free, total_space AS total FROM system.disks WHERE total_space > 0 AND total_space < 9223372036854775807
