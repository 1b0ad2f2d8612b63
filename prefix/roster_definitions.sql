-- The bytes of some tool definitions, as they were sent, by short wire digest.
SELECT substring(wire_digest, 1, 32) AS wire, any(definition) AS raw
FROM tool_definitions
WHERE substring(wire_digest, 1, 32) IN (SELECT arrayJoin(?))
GROUP BY wire
