-- The conversations that name some rosters, as far back as something is judged.
SELECT DISTINCT toString(conversation_id) AS conversation
FROM request_prefixes
WHERE roster_digest IN (SELECT arrayJoin(?)) AND ingested_at >= (SELECT max(ingested_at) FROM request_prefixes) - toIntervalSecond(?)
LIMIT ?
