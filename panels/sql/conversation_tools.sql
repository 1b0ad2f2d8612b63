-- The calls of a conversation by tool.
SELECT toString({tool}) AS tool, count() AS calls
FROM tool_calls AS c
WHERE $__timeFilter(c.time) AND {calls of conversation}
GROUP BY tool
ORDER BY calls DESC, tool
LIMIT 20
