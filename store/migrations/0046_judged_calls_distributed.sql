{{.Distributed "judged_calls" "conversation_id"}}
