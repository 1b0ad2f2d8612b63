package panels

// all is every view in its order.
var all = []View{overviewView(), driftView(), prefixView(), activationView(), conversationView(), pipelineView()}

// driftThresholds are the ratios over which examples of the new schema belong in the prompt, and over which the model is pinned or told in its
// system prompt how to migrate.
var driftThresholds = []Threshold{{Over: 0.05, Level: Warn}, {Over: 0.20, Level: Bad}}

// retryThresholds is from how many times the tokens of the first attempts on later ones are a finding.
var retryThresholds = []Threshold{{Over: 3, Level: Warn, OrEqual: true}}

// lagThresholds are the seconds over which events come late.
var lagThresholds = []Threshold{{Over: 60, Level: Warn}, {Over: 600, Level: Bad}}

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

// The links that many panels have.
var (
	toTool = &Link{
		View: Drift, Title: "Drift of this tool", Set: map[string]string{"server": "server", "tool": "tool"},
	}
	toToolOfModel = &Link{
		View: Drift, Title: "Drift of this tool and model", Set: map[string]string{"server": "server", "tool": "tool", "model": "model"},
	}
	toModel        = &Link{View: Drift, Title: "Drift of this model", Set: map[string]string{"model": "model"}}
	toAgent        = &Link{View: Overview, Title: "Overview of this agent", Set: map[string]string{"agent": "agent"}}
	toPrefixAgent  = &Link{View: Prefix, Title: "Prefix cache of this agent", Set: map[string]string{"agent": "agent"}}
	toPrefixModel  = &Link{View: Prefix, Title: "Prefix cache of this model", Set: map[string]string{"model": "model"}}
	toConversation = &Link{View: Conversation, Title: "What happened in this conversation", Set: map[string]string{"conversation": "conversation"}}
)

// The columns that many panels have.
var (
	serverColumn       = Column{Name: "server", Title: "Server"}
	toolColumn         = Column{Name: "tool", Title: "Tool", Link: toTool}
	modelColumn        = Column{Name: "model", Title: "Model", Link: toModel}
	agentColumn        = Column{Name: "agent", Title: "Agent", Link: toAgent}
	conversationColumn = Column{Name: "conversation", Title: "Conversation", Link: toConversation}
	callsColumn        = Column{Name: "calls", Title: "Calls", Unit: Count}
	tokensColumn       = Column{Name: "tokens", Title: "Tokens lost", Unit: Tokens}
	usdColumn          = Column{Name: "usd", Title: "USD lost", Unit: USD}
	ratioColumn        = Column{Name: "ratio", Title: "Drift ratio", Unit: Ratio, Thresholds: driftThresholds}
	lowColumn          = Column{Name: "ci_low", Title: "At least", Unit: Ratio}
	highColumn         = Column{Name: "ci_high", Title: "At most", Unit: Ratio}
	lastColumn         = Column{Name: "last", Title: "Last", Unit: Time}
)

// counts makes columns of numbers from pairs of name and title.
func counts(pairs ...string) []Column {
	var columns []Column
	for i := 0; i+1 < len(pairs); i += 2 {
		columns = append(columns, Column{Name: pairs[i], Title: pairs[i+1], Unit: Count})
	}
	return columns
}

// texts makes columns of text from pairs of name and title.
func texts(pairs ...string) []Column {
	columns := counts(pairs...)
	for i := range columns {
		columns[i].Unit = Text
	}
	return columns
}

// columns joins columns and lists of columns.
func columns(parts ...any) []Column {
	var all []Column
	for _, p := range parts {
		switch p := p.(type) {
		case Column:
			all = append(all, p)
		case []Column:
			all = append(all, p...)
		}
	}
	return all
}
