{{.Distributed "request_prefixes" "lane"}}
