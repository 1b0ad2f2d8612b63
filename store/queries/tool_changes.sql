SELECT bucket, epoch, key, revision, at, server, tool, agent, action, version, changed_by, reason, if(?, document, '') AS document
FROM tool_changes FINAL
WHERE (? = '' OR bucket = ?)
  AND (? OR server = ?)
  AND (? = '' OR tool = ?)
  AND (? = '' OR agent = ?)
  AND at >= ? AND (? OR at < ?)
ORDER BY at DESC, bucket, epoch DESC, revision DESC
LIMIT ?
