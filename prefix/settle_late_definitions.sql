-- What a stretch of a lane of tool definitions says: the definition that each wire digest stands for.
SELECT DISTINCT toString(tool_name) AS tool, substring(wire_digest, 1, 32) AS wire, definition_digest AS said, '' AS roster
FROM tool_definitions
WHERE lane = ? AND seq > ? AND seq <= ?
