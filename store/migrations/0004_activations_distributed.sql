{{.Distributed "activations" "lane"}}
