package drift

import (
	"cmp"
	"slices"
)

// Report is what [Analyze] says of all calls and tool lists in a window.
type Report struct {
	Calls   uint64 `json:"calls"`
	Drifted uint64 `json:"drifted"`
	// Unjudged counts the calls of tools whose schema is not known; they are among the calls and not among the drifted.
	Unjudged uint64  `json:"unjudged"`
	Ratio    float64 `json:"ratio"`
	// Tools has a row a server, tool and model, ByTool one a server and tool; the highest ratio first.
	Tools       []ToolDrift        `json:"tools"`
	ByTool      []ToolDrift        `json:"by_tool"`
	Definitions []DefinitionChange `json:"definitions"`
	Retries     []Retry            `json:"retries"`
	ErrorRuns   []ErrorRun         `json:"error_runs"`
}

// ToolDrift is the drift of one tool, or of one tool as one model calls it.
type ToolDrift struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
	// Model is empty where it is not known, and in ByTool.
	Model   string `json:"model"`
	Calls   uint64 `json:"calls"`
	Drifted uint64 `json:"drifted"`
	// Ratio is drifted / calls; CILow and CIHigh bound it with 95 % confidence (Wilson).
	Ratio  float64 `json:"ratio"`
	CILow  float64 `json:"ci_low"`
	CIHigh float64 `json:"ci_high"`

	OldVersion      uint64 `json:"old_version"`
	SilentDefault   uint64 `json:"silent_default"`
	UnknownArgument uint64 `json:"unknown_argument"`
	ValidationError uint64 `json:"validation_error"`
	Unjudged        uint64 `json:"unjudged"`
	ExecutionErrors uint64 `json:"execution_errors"`
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
		Tools: []ToolDrift{}, ByTool: []ToolDrift{}, Definitions: []DefinitionChange{}, Retries: []Retry{}, ErrorRuns: []ErrorRun{},
	}
}

func newToolDrift(r *callRow) ToolDrift {
	t := ToolDrift{
		Server: r.Server, Tool: r.Tool, Model: r.Model, Calls: r.Calls,
		OldVersion: r.OldVersion, SilentDefault: r.SilentDefault, UnknownArgument: r.UnknownArgument,
		ValidationError: r.ValidationError, Unjudged: r.Unjudged, ExecutionErrors: r.ExecutionErrors,
		Defaulted: r.Defaulted, Renamed: r.Renamed,
	}
	t.settle()
	return t
}

// settle sets what follows from the counts.
func (t *ToolDrift) settle() {
	t.Drifted = t.OldVersion + t.SilentDefault + t.UnknownArgument + t.ValidationError
	r := NewRatio(t.Drifted, t.Calls)
	t.Ratio, t.CILow, t.CIHigh = r.Value, r.Low, r.High
}

// sum adds up the models of one tool.
func sum(models []ToolDrift) ToolDrift {
	total := ToolDrift{Server: models[0].Server, Tool: models[0].Tool}
	for _, m := range models {
		total.Calls += m.Calls
		total.OldVersion += m.OldVersion
		total.SilentDefault += m.SilentDefault
		total.UnknownArgument += m.UnknownArgument
		total.ValidationError += m.ValidationError
		total.Unjudged += m.Unjudged
		total.ExecutionErrors += m.ExecutionErrors
		total.Defaulted = union(total.Defaulted, m.Defaulted)
		total.Renamed = union(total.Renamed, m.Renamed)
	}
	total.settle()
	return total
}

func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// settle sorts the tools, the worst first.
func (r *Report) settle() {
	r.Ratio = NewRatio(r.Drifted, r.Calls).Value
	for _, tools := range [][]ToolDrift{r.Tools, r.ByTool} {
		slices.SortStableFunc(tools, func(a, b ToolDrift) int {
			return cmp.Or(cmp.Compare(b.Ratio, a.Ratio), cmp.Compare(b.Drifted, a.Drifted), cmp.Compare(b.Calls, a.Calls))
		})
	}
}
