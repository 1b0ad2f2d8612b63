{{.Distributed "findings" "fingerprint"}}
