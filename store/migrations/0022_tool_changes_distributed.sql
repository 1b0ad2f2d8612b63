{{.Distributed "tool_changes" "key"}}
