{{.Distributed "notable_verdicts" "conversation_id"}}
