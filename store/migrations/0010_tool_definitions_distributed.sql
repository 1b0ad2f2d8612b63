{{.Distributed "tool_definitions" "lane"}}
