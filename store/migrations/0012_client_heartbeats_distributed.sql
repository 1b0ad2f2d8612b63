{{.Distributed "client_heartbeats" "lane"}}
