package drift

import (
	"cmp"
	"slices"
	"time"
)

// Report is what [Analyze] says of all calls and tool lists in a window.
type Report struct {
	Calls   uint64 `json:"calls"`
	Drifted uint64 `json:"drifted"`
	// Unjudged counts the calls of tools whose schema is not known; they are among the calls and not among the drifted.
	Unjudged uint64  `json:"unjudged"`
	Ratio    float64 `json:"ratio"`
	// Tools has a row a server, tool and model, ByTool one a server and tool, ByAgentVersion one a server, tool, agent and version of the
	// agent; the highest ratio first.
	Tools          []ToolDrift `json:"tools"`
	ByTool         []ToolDrift `json:"by_tool"`
	ByAgentVersion []ToolDrift `json:"by_agent_version"`
	// Windows are the same over the spans of the settings, in their order.
	Windows     []WindowReport     `json:"windows"`
	Definitions []DefinitionChange `json:"definitions"`
	Flags       []DefinitionFlag   `json:"flags"`
	// FlagsUnchecked counts the changes of definitions that were too many, or took too long, to be compared.
	FlagsUnchecked int            `json:"flags_unchecked"`
	Retries        []Retry        `json:"retries"`
	ErrorRuns      []ErrorRun     `json:"error_runs"`
	Canaries       []CanaryReport `json:"canaries"`
	Sunsets        []SunsetReport `json:"sunsets"`
}

// WindowReport is the drift over one of the settings' windows.
type WindowReport struct {
	// Window is its length, as 5m, 1h, 24h or 7d.
	Window  string `json:"window"`
	Seconds int64  `json:"seconds"`
	// From is inclusive, To exclusive; left out where there are no calls.
	From     time.Time `json:"from,omitzero"`
	To       time.Time `json:"to,omitzero"`
	Calls    uint64    `json:"calls"`
	Drifted  uint64    `json:"drifted"`
	Unjudged uint64    `json:"unjudged"`
	Ratio    float64   `json:"ratio"`
	// The highest ratio comes first.
	ByTool         []ToolDrift `json:"by_tool"`
	ByModel        []ToolDrift `json:"by_model"`
	ByAgentVersion []ToolDrift `json:"by_agent_version"`
}

// ToolDrift is the drift of one tool, or of one tool as one model or one version of an agent calls it.
type ToolDrift struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
	// Model is empty where it is not known, and where rows are not by model.
	Model string `json:"model"`
	// Agent and AgentVersion are empty where they are not known, and where rows are not by them.
	Agent        string `json:"agent,omitzero"`
	AgentVersion string `json:"agent_version,omitzero"`
	Calls        uint64 `json:"calls"`
	Drifted      uint64 `json:"drifted"`
	// Ratio is drifted / calls; CILow and CIHigh bound it with 95 % confidence (Wilson).
	Ratio  float64 `json:"ratio"`
	CILow  float64 `json:"ci_low"`
	CIHigh float64 `json:"ci_high"`

	OldVersion      uint64 `json:"old_version"`
	SilentDefault   uint64 `json:"silent_default"`
	UnknownArgument uint64 `json:"unknown_argument"`
	ValidationError uint64 `json:"validation_error"`
	Unjudged        uint64 `json:"unjudged"`

	// ExecutionErrors and ValidationOutcomes count calls by how they ended. ErrorRatio is both / calls, within ErrorCILow to ErrorCIHigh.
	ExecutionErrors    uint64  `json:"execution_errors"`
	ValidationOutcomes uint64  `json:"validation_outcomes"`
	ErrorRatio         float64 `json:"error_ratio"`
	ErrorCILow         float64 `json:"error_ci_low"`
	ErrorCIHigh        float64 `json:"error_ci_high"`

	// Retries counts attempts after the first, RetryTokens their tokens and FirstTokens those of the first attempts that they repeat;
	// RetryMultiple is RetryTokens / FirstTokens.
	Retries       uint64  `json:"retries"`
	RetryTokens   uint64  `json:"retry_tokens"`
	FirstTokens   uint64  `json:"first_tokens"`
	RetryMultiple float64 `json:"retry_multiple"`

	// Defaulted and Renamed are the arguments of silent defaults: the present names, and what the calls said instead.
	Defaulted []string `json:"defaulted_arguments,omitempty"`
	Renamed   []string `json:"renamed_arguments,omitempty"`
}

// Retry is what trying again cost for one tool, in tokens.
type Retry struct {
	Server      string `json:"server"`
	Tool        string `json:"tool"`
	Retries     uint64 `json:"retries"`
	RetryTokens uint64 `json:"retry_tokens"`
	// FirstTokens are those of the first attempts that were repeated; 0 where tokens are not reported.
	FirstTokens uint64 `json:"first_tokens"`
	// Multiple is RetryTokens / FirstTokens.
	Multiple float64 `json:"multiple"`
}

// ErrorRun is the validation errors in a row of one tool and schema version.
type ErrorRun struct {
	Server  string `json:"server"`
	Tool    string `json:"tool"`
	Version string `json:"version"`
	Longest uint64 `json:"longest"`
	// Latest is the run that the calls end with; 0 when the last one did not fail so.
	Latest uint64 `json:"latest"`
	// Conversations is how many conversations the longest run came from.
	Conversations uint64 `json:"conversations"`
}

func newReport() Report {
	return Report{
		Tools: []ToolDrift{}, ByTool: []ToolDrift{}, ByAgentVersion: []ToolDrift{}, Windows: []WindowReport{},
		Definitions: []DefinitionChange{}, Flags: []DefinitionFlag{}, Retries: []Retry{}, ErrorRuns: []ErrorRun{},
		Canaries: []CanaryReport{}, Sunsets: []SunsetReport{},
	}
}

// settle sets what follows from the counts.
func (t *ToolDrift) settle() {
	t.Drifted = t.OldVersion + t.SilentDefault + t.UnknownArgument + t.ValidationError
	r := NewRatio(t.Drifted, t.Calls)
	t.Ratio, t.CILow, t.CIHigh = r.Value, r.Low, r.High
	e := NewRatio(t.ExecutionErrors+t.ValidationOutcomes, t.Calls)
	t.ErrorRatio, t.ErrorCILow, t.ErrorCIHigh = e.Value, e.Low, e.High
	if t.FirstTokens > 0 {
		t.RetryMultiple = float64(t.RetryTokens) / float64(t.FirstTokens)
	}
}

// tell fills in what the whole says.
func (r *Report) tell(whole *span) {
	r.ByTool, r.Tools, r.ByAgentVersion = whole.list(byTool), whole.list(byModel), whole.list(byVersion)
	for i := range r.ByTool {
		t := &r.ByTool[i]
		r.Calls, r.Drifted, r.Unjudged = r.Calls+t.Calls, r.Drifted+t.Drifted, r.Unjudged+t.Unjudged
		if t.Retries > 0 {
			r.Retries = append(r.Retries, Retry{
				Server: t.Server, Tool: t.Tool, Retries: t.Retries, RetryTokens: t.RetryTokens, FirstTokens: t.FirstTokens, Multiple: t.RetryMultiple,
			})
		}
	}
	r.Ratio = NewRatio(r.Drifted, r.Calls).Value
	slices.SortFunc(r.Retries, func(a, b Retry) int { return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.Tool, b.Tool)) })
}

// find returns where a report's rows of tools and models are.
func (r *Report) find() map[rowKey]*ToolDrift {
	rows := map[rowKey]*ToolDrift{}
	for i := range r.Tools {
		t := &r.Tools[i]
		rows[rowKey{part: byModel, Key: Key{t.Server, t.Tool}, model: t.Model}] = t
	}
	for i := range r.ByTool {
		t := &r.ByTool[i]
		rows[rowKey{part: byTool, Key: Key{t.Server, t.Tool}}] = t
	}
	return rows
}

func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}
