-- The definition that each wire digest stands for, as tool_definition and tool_roster events said it.
SELECT DISTINCT substring(wire, 1, 32) AS wire_digest, definition AS definition_digest
FROM (
    SELECT wire_digest AS wire, definition_digest AS definition FROM tool_definitions
    UNION ALL
    SELECT wire, definition FROM tool_rosters ARRAY JOIN `tools.wire_digest` AS wire, `tools.definition_digest` AS definition
)
WHERE wire != '' AND definition != ''
