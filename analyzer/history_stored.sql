-- The newest revisions of a bucket that are stored, the newest first.
SELECT revision
FROM tool_changes
WHERE bucket = ? AND epoch = ?
GROUP BY revision
ORDER BY revision DESC
LIMIT ?
