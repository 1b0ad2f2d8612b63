SELECT id
FROM {table}
WHERE lane = ? AND seq > ?
ORDER BY seq DESC, pos DESC
LIMIT ?
