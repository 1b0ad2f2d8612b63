{{.Distributed "tool_rosters" "lane"}}
