package panels

// all is every view in its order.
var all = []View{overviewView(), driftView(), prefixView(), activationView(), conversationView(), pipelineView()}

// driftThresholds are the ratios over which examples of the new schema belong in the prompt, and over which the model is pinned or told in its
// system prompt how to migrate.
var driftThresholds = []Threshold{{Over: 0.05, Level: Warn}, {Over: 0.20, Level: Bad}}

// over returns thresholds that values over two numbers reach.
func over(warn, bad float64) []Threshold {
	return []Threshold{{Over: warn, Level: Warn}, {Over: bad, Level: Bad}}
}

// anyIs returns a threshold that any value over zero reaches.
func anyIs(level Level) []Threshold { return []Threshold{{Over: 0, Level: level}} }

// read fills in the panels' queries.
func read(v View) View {
	for i := range v.Panels {
		p := &v.Panels[i]
		p.SQL = query(p.ID)
	}
	return v
}
