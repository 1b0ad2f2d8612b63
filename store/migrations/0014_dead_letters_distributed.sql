{{.Distributed "dead_letters" "lane"}}
