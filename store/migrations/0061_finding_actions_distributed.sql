{{.Distributed "finding_actions" "fingerprint"}}
