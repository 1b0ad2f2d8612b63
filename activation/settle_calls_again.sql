-- The calls of some conversations that came without a resolution and were looked at before: those stored no longer before the newest than is
-- judged back, up to the sequence of each lane, and made no earlier than a time for each conversation.
SELECT
{columns}
FROM tool_calls
PREWHERE resolution = ''
WHERE conversation_id IN (SELECT arrayJoin(CAST(? AS Array(String))))
    AND toUnixTimestamp64Micro(time) >= transform(toString(conversation_id), CAST(? AS Array(String)), CAST(? AS Array(Int64)), toInt64(0))
    AND seq <= arrayElement(CAST(? AS Array(UInt64)), indexOf(CAST(? AS Array(String)), toString(lane)) + 1)
    AND ingested_at >= (SELECT max(ingested_at) FROM tool_calls) - toIntervalSecond(?)
ORDER BY conversation_id, time, id, lane, seq, pos
