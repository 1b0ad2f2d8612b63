{{.Distributed "tool_calls" "lane"}}
