SELECT lane, seq, pos, ingested_at, id, time, subject, stream_seq, stream_pos, reason, path, payload
FROM dead_letters
WHERE (? = '' OR subject = ?)
  AND (? = '' OR reason = ?)
  AND (? = '' OR toString(id) = ?)
  AND time >= ? AND (? OR time < ?)
ORDER BY time DESC, lane, seq DESC, pos DESC
LIMIT ?
