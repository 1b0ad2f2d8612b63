-- The latest calls of one agent in a span that came without a resolution and were looked at before: those stored no longer before the newest
-- than is judged back, up to the sequence of each lane.
SELECT * FROM
(
    SELECT
{columns}
    FROM tool_calls
    PREWHERE resolution = ''
    WHERE conversation_id != '' AND if(agent_name = '', source, agent_name) = ? AND agent_version = ? AND environment = ?
        AND time >= fromUnixTimestamp64Micro(toInt64(?), 'UTC') AND time < fromUnixTimestamp64Micro(toInt64(?), 'UTC')
        AND seq <= arrayElement(CAST(? AS Array(UInt64)), indexOf(CAST(? AS Array(String)), toString(lane)) + 1)
        AND ingested_at >= (SELECT max(ingested_at) FROM tool_calls) - toIntervalSecond(?)
    ORDER BY time DESC
    LIMIT ?
)
ORDER BY conversation, at, event, of_lane, of_seq, of_pos
