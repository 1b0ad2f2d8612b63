package drift

import (
	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/tooltrail/tooltrail/events"
)

// OldCall is a call that was made, or generated, by an old list of tools.
type OldCall struct {
	Tool      string
	Arguments jsontext.Value
}

// What becomes of an old call.
const (
	ReplayOK = "ok"
	// ReplayNotOld is a call that the old list doesn't have or did not take either: it says nothing.
	ReplayNotOld = "not_valid_before"
	ReplayGone   = "tool_gone"
	// ReplayRefused is a call that the new schema refuses.
	ReplayRefused = "refused"
	// ReplayDefault is a call that stays valid and runs with a default in place of a renamed argument.
	ReplayDefault = "silent_default"
	// ReplayIgnored is a call that stays valid with a name that is no longer known.
	ReplayIgnored = "ignored"
	// ReplayUnjudged is a call that is too much to check.
	ReplayUnjudged = "not_judged"
)

// Replay says what becomes of old calls.
type Replay struct {
	// Generated says that the calls were made from the old schemas, not recorded.
	Generated bool           `json:"generated"`
	Calls     int            `json:"calls"`
	Outcomes  map[string]int `json:"outcomes"`
	// Problems are the first of those that are not ok, without values.
	Problems []ReplayProblem `json:"problems,omitzero"`
}

// ReplayProblem is one kind of trouble of one tool.
type ReplayProblem struct {
	Tool    string                   `json:"tool"`
	Outcome string                   `json:"outcome"`
	Errors  []events.ValidationError `json:"errors,omitzero"`
	Names   []string                 `json:"names,omitzero"`
	Calls   int                      `json:"calls"`
}

// maxReplayProblems is how many kinds of trouble are listed.
const maxReplayProblems = 100

// Broken counts the old calls that the new list refuses, or takes in another sense.
func (r *Replay) Broken() int {
	return r.Outcomes[ReplayGone] + r.Outcomes[ReplayRefused] + r.Outcomes[ReplayDefault] + r.Outcomes[ReplayIgnored]
}

// Replayer holds old calls against an old and a new list of tools.
type Replayer struct {
	then, now map[string]*Schema
	report    Replay
	at        map[string]int
}

// NewReplayer compiles both lists; what can't be compiled judges no call.
func NewReplayer(before, after []jsontext.Value) *Replayer {
	return &Replayer{then: compileList(before), now: compileList(after), report: Replay{Outcomes: map[string]int{}}, at: map[string]int{}}
}

func compileList(raws []jsontext.Value) map[string]*Schema {
	out := map[string]*Schema{}
	for _, raw := range raws {
		t, err := events.ParseTool(raw)
		if err != nil {
			continue
		}
		s, err := Compile(raw)
		if _, known := out[t.Name]; err != nil || known {
			s = out[t.Name]
		}
		out[t.Name] = s
	}
	return out
}

// Call replays one call and returns what becomes of it.
func (r *Replayer) Call(c OldCall) string {
	v, outcome := r.judge(c)
	r.report.Calls++
	r.report.Outcomes[outcome]++
	if outcome != ReplayOK && outcome != ReplayNotOld {
		r.keep(ReplayProblem{Tool: c.Tool, Outcome: outcome, Errors: v.Errors, Names: v.Unknown, Calls: 1})
	}
	return outcome
}

func (r *Replayer) judge(c OldCall) (Verdict, string) {
	then, known := r.then[c.Tool]
	now, still := r.now[c.Tool]
	if !known {
		return Verdict{}, ReplayNotOld
	}
	if then == nil || still && now == nil {
		return Verdict{}, ReplayUnjudged
	}
	args, err := ParseArguments(c.Arguments, Limits{})
	if err != nil || !then.fits(args) {
		return Verdict{}, ReplayNotOld
	}
	if !still {
		return Verdict{}, ReplayGone
	}
	v := Classify(&Versions{Active: Version{Name: "new", Schema: now}, Legacy: []Version{{Name: "old", Schema: then}}}, Call{Arguments: c.Arguments})
	switch {
	case v.Err != nil:
		return v, ReplayUnjudged
	case len(v.Errors) > 0:
		return v, ReplayRefused
	case len(v.Defaulted) > 0:
		return v, ReplayDefault
	case len(v.Unknown) > 0:
		return v, ReplayIgnored
	}
	return v, ReplayOK
}

// keep lists a problem, the same one of a tool once.
func (r *Replayer) keep(p ReplayProblem) {
	key := p.Tool + "\x00" + p.Outcome
	for _, e := range p.Errors {
		key += "\x00" + e.Path + "\x00" + e.Keyword
	}
	for _, n := range p.Names {
		key += "\x00\x00" + n
	}
	if i, ok := r.at[key]; ok {
		r.report.Problems[i].Calls++
		return
	}
	if len(r.report.Problems) < maxReplayProblems {
		r.at[key] = len(r.report.Problems)
		r.report.Problems = append(r.report.Problems, p)
	}
}

// Generate replays the smallest call of each old tool, and one that gives every argument.
func (r *Replayer) Generate() {
	r.report.Generated = true
	for _, name := range sortedKeys(r.then) {
		s := r.then[name]
		if s == nil {
			continue
		}
		for _, optional := range []bool{false, true} {
			m := newMaker(s)
			m.optional = optional
			if v, ok := m.first([]*jsonschema.Schema{s.root, typeCase["object"]}, 0); ok {
				r.Call(OldCall{Tool: name, Arguments: jsontext.Value(jsonText(v))})
			}
		}
	}
}

// Report returns what became of the calls so far.
func (r *Replayer) Report() Replay { return r.report }
