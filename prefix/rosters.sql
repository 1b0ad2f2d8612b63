-- Which tools each roster defers.
SELECT DISTINCT toString(roster_digest) AS roster, name AS tool, deferred
FROM tool_rosters ARRAY JOIN `tools.name` AS name, `tools.deferred` AS deferred
WHERE roster_digest != ''
