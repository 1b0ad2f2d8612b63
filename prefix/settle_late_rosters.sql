-- What a stretch of a lane of rosters says: the tools of each, and the definition that each wire digest stands for.
SELECT DISTINCT toString(name) AS tool, substring(sent, 1, 32) AS wire, definition AS said, toString(roster_digest) AS roster
FROM tool_rosters
ARRAY JOIN `tools.name` AS name, `tools.wire_digest` AS sent, `tools.definition_digest` AS definition
WHERE lane = ? AND seq > ? AND seq <= ?
