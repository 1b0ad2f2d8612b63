-- The definitions of some digests, of some tools.
SELECT definition_digest AS digest, any(definition) AS text
FROM tool_definitions
WHERE tool_name IN (?) AND definition_digest IN (?)
GROUP BY digest
