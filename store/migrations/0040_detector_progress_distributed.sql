{{.Distributed "detector_progress" "detector"}}
