{{.Distributed "request_verdicts" "conversation_id"}}
