-- The rosters that were in force one after the other and why each came, in each conversation, and at each agent and server outside of any.
-- Versions of an agent that run side by side each have their own. A server's lists by release are its history and no roster.
WITH fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi
SELECT conversation, agent, of_version, of_server, groupArray(digest) AS digests, groupArray(why) AS reasons
FROM (
    SELECT toString(conversation_id) AS conversation, toString(agent_name) AS agent, toString(agent_version) AS of_version,
        toString(server) AS of_server, toString(roster_digest) AS digest, toString(reason) AS why
    FROM tool_rosters
    WHERE time >= lo AND time < hi AND release = ''
    ORDER BY time, lane, seq, pos
)
GROUP BY conversation, agent, of_version, of_server
HAVING length(arrayDistinct(digests)) > 1
ORDER BY conversation, agent, of_version, of_server
