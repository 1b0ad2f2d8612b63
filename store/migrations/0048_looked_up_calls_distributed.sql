{{.Distributed "looked_up_calls" "lane"}}
