package events

import "time"

// RequestVerdict is what became of the prompt cache at one request, as the analyzer judged it and the table request_verdicts keeps it: one
// row a request, the one judged last counts. Its columns have the names in the ch tags.
type RequestVerdict struct {
	// ID is the id of the request's event, and with Conversation the row's identity.
	ID           string `ch:"id"`
	Conversation string `ch:"conversation_id"`
	// JudgedAt orders the rows of one request. Content is a hash of all that was judged, which tells a changed row from the same one.
	JudgedAt time.Time `ch:"judged_at"`
	Content  uint64    `ch:"content"`
	// Time is that of the event, which windows go by; IngestedAt is when the request was stored, which retention goes by.
	Time         time.Time `ch:"time"`
	IngestedAt   time.Time `ch:"ingested_at"`
	StartTime    time.Time `ch:"start_time"`
	AgentName    string    `ch:"agent_name"`
	AgentVersion string    `ch:"agent_version"`
	Environment  string    `ch:"environment"`
	Team         string    `ch:"team"`
	ProviderName string    `ch:"provider_name"`
	RequestModel string    `ch:"request_model"`
	// Request counts the model's answers in the conversation from 1; Compared is the id of the request that it was compared with.
	Request   int64    `ch:"request"`
	Compared  string   `ch:"compared_id"`
	Verdict   string   `ch:"verdict"`
	Secondary []string `ch:"secondary"`
	// Cause is what made the prefix change, where it is known, and CauseNames the tools or servers of it.
	Cause      string   `ch:"cause"`
	CauseNames []string `ch:"cause_names"`
	// Tools that changed: names, kinds, places from 0, whether in the middle, and rhythms, side by side.
	ToolNames   []string `ch:"tools.name"`
	ToolKinds   []string `ch:"tools.kind"`
	ToolIndexes []int64  `ch:"tools.index"`
	ToolMiddle  []bool   `ch:"tools.middle"`
	ToolRhythms []string `ch:"tools.rhythm"`
	Params      []string `ch:"params"`
	// SystemBlock and Message are the first that changed, from 0; -1 is none.
	SystemBlock  int64   `ch:"system_block"`
	SystemRhythm string  `ch:"system_rhythm"`
	Message      int64   `ch:"message"`
	GapSeconds   float64 `ch:"gap_seconds"`
	// ClockBackwards says that the gap was negative and counts as zero.
	ClockBackwards bool     `ch:"clock_backwards"`
	PromptTokens   *uint64  `ch:"prompt_tokens"`
	ReadTokens     *uint64  `ch:"read_tokens"`
	ExpectedRead   *uint64  `ch:"expected_read_tokens"`
	TokensLost     *uint64  `ch:"tokens_lost"`
	LostUSD        *float64 `ch:"lost_usd"`
	CostUSD        *float64 `ch:"cost_usd"`
	StatedCostUSD  *float64 `ch:"stated_cost_usd"`
	// Diagnosis is the provider's own reason in its words, DiagnosisVerdict the verdict that it stands for, Agreement how it stands beside
	// Verdict.
	Diagnosis        string `ch:"provider_diagnosis"`
	DiagnosisVerdict string `ch:"diagnosis_verdict"`
	Agreement        string `ch:"agreement"`
	// Unseen are the parts of the prefix (tools, system, messages) that were not recorded of it or of the request that it was compared with;
	// noted of breaks alone.
	Unseen []string `ch:"unseen"`
	// Flux has the parts of the prefix that keep changing along the conversation, side by side: at its latest request, and nowhere else.
	FluxKinds    []string `ch:"flux.kind"`
	FluxParts    []string `ch:"flux.part"`
	FluxNames    []string `ch:"flux.name"`
	FluxRequests []int64  `ch:"flux.requests"`
	FluxChanges  []int64  `ch:"flux.changes"`
	FluxValues   []int64  `ch:"flux.values"`
	// FluxCouldRead are the tokens that could have come from the cache, had the part not changed, beyond those that count as lost;
	// FluxCouldReadUSD what they cost more than that, nil where it is not known.
	FluxCouldRead    []int64    `ch:"flux.could_read"`
	FluxCouldReadUSD []*float64 `ch:"flux.could_read_usd"`

	// Again says that another row of the request was stored before; it is no column.
	Again bool `ch:"again"`
}

// Notable says that there is more to tell of the request than that nothing broke: a break, a risk, a part that changed or keeps changing, a
// diagnosis of the provider's; or that there may have been, in a row stored before.
func (r *RequestVerdict) Notable() bool {
	switch r.Verdict {
	case "no_usage", "cold_start", "concurrent_cold_start", "below_minimum", "ok":
	default:
		return true
	}
	return r.Again || len(r.Secondary)+len(r.ToolNames)+len(r.Params)+len(r.FluxKinds) > 0 || r.SystemBlock >= 0 || r.Message >= 0 ||
		r.Agreement != "" || r.Cause != ""
}
