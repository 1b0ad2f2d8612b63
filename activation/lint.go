package activation

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/tooltrail/tooltrail/events"
)

// LintLevel says how bad a [LintFinding] is.
type LintLevel string

// The levels, the worst first. An error fails the lint; a warning does where the caller is strict; a note is to be known.
const (
	LintError   LintLevel = "error"
	LintWarning LintLevel = "warning"
	LintNote    LintLevel = "note"
)

// The rules of [Lint].
const (
	LintUnreadable = "unreadable"
	LintNoName     = "no_name"
	LintNoSummary  = "no_summary"
	LintDuplicate  = "duplicate_name"
	LintAlike      = "alike_names"
	LintCollision  = "colliding_names"
	LintUnfit      = "unfit_name"
	LintTooLong    = "summary_too_long"
	LintCut        = "summary_cut"
	LintNeedsOther = "needs_another_tool"
	LintOrder      = "order"
	LintNotSame    = "not_same_bytes"
	LintUpFront    = "cheaper_up_front"
	LintSearch     = "search_is_cheaper"
	LintAllUpFront = "all_cheaper_up_front"
	LintNoLoader   = "no_such_loader"
)

// LintFinding is one thing that [Lint] found.
type LintFinding struct {
	Level LintLevel `json:"level"`
	Rule  string    `json:"rule"`
	// Tools are the names that it is about, as given; a tool without a name is not among them, the text gives its place.
	Tools []string `json:"tools,omitzero"`
	Text  string   `json:"text"`
	// Lost is what a cut took from a summary, and LostWords are the how-to words in it.
	Lost      string   `json:"lost,omitzero"`
	LostWords []string `json:"lost_words,omitzero"`
}

// LintReport is what [Lint] found: the same for the same input.
type LintReport struct {
	// Tools counts the tools given.
	Tools    int           `json:"tools"`
	Findings []LintFinding `json:"findings"`
	// Needs are the required arguments that only another tool can give.
	Needs []LintNeed `json:"needs"`
	Size  LintSize   `json:"size"`
}

// Count counts the findings of a level.
func (r *LintReport) Count(level LintLevel) int {
	n := 0
	for i := range r.Findings {
		if r.Findings[i].Level == level {
			n++
		}
	}
	return n
}

// LintOptions are the limits of [Lint]. Start from [DefaultLintOptions].
type LintOptions struct {
	// Text are the limits of the roster's text.
	Text TextOptions
	// Own and External name servers whose tools the team can and can't change. What neither names is the team's where it has no server,
	// and somebody else's where it has one.
	Own, External []string
	// Descriptions are the servers' descriptions, see [RosterInput].
	Descriptions map[string]string
	// Again are the same tools, taken or built a second time: both are to be the same bytes. Nil where they were taken once.
	Again []Tool
	// AgainDescriptions are the servers' descriptions the second time, where Again is set.
	AgainDescriptions map[string]string
	// Cost are the assumptions of the estimates.
	Cost LintCost
}

// DefaultLintOptions returns the limits of docs/design.md and the assumptions of [DefaultLintCost].
func DefaultLintOptions() LintOptions {
	return LintOptions{Text: DefaultTextOptions(), Cost: DefaultLintCost()}
}

// Validate reports options that make no sense.
func (o LintOptions) Validate() error {
	errs := []error{o.Text.Validate(), o.Cost.Validate()}
	for _, s := range o.Own {
		if slices.Contains(o.External, s) {
			errs = append(errs, fmt.Errorf("server %q is both own and external", s))
		}
	}
	return errors.Join(errs...)
}

// own reports whether the team can change a server's tools.
func (o *LintOptions) own(server string) bool {
	switch {
	case slices.Contains(o.Own, server):
		return true
	case slices.Contains(o.External, server):
		return false
	}
	return server == ""
}

// Lint checks tools as a roster would show them. It does no I/O and changes nothing.
func Lint(tools []Tool, o LintOptions) LintReport {
	o.Text = o.Text.orDefault()
	o.Cost = o.Cost.orDefault()
	l := &linter{options: o, tools: tools, needAt: map[string]int{}, ownName: map[string]bool{}}
	l.read()
	l.names()
	l.collisions()
	l.summaries()
	l.descriptions()
	l.order()
	l.twice()
	l.loader()
	l.needs()
	l.size()
	slices.SortStableFunc(l.report.Findings, func(a, b LintFinding) int { return cmp.Compare(a.Level.rank(), b.Level.rank()) })
	return l.report
}

func (l LintLevel) rank() int { return slices.Index([]LintLevel{LintError, LintWarning, LintNote}, l) }

// linter is one run of [Lint].
type linter struct {
	options LintOptions
	tools   []Tool
	// parsed and entries are of the tools, by their index.
	parsed  []events.Tool
	entries []*entry
	report  LintReport
	// roster is what the tools make, and shown its text.
	roster *Roster
	shown  string
	// needAt is where the findings on needs are, by their text.
	needAt map[string]int
	// ownName has the names that the team can change.
	ownName map[string]bool
}

func (l *linter) add(level LintLevel, rule, text string, tools ...string) {
	l.report.Findings = append(l.report.Findings, LintFinding{Level: level, Rule: rule, Text: text, Tools: tools})
}

// blame is an error where the team can change a tool, and a warning where it can't.
func (l *linter) blame(server string) LintLevel {
	if l.options.own(server) {
		return LintError
	}
	return LintWarning
}

// read reads all definitions.
func (l *linter) read() {
	l.report = LintReport{Tools: len(l.tools), Findings: []LintFinding{}, Needs: []LintNeed{}}
	l.parsed, l.entries = make([]events.Tool, len(l.tools)), make([]*entry, len(l.tools))
	for i := range l.tools {
		t := &l.tools[i]
		l.entries[i], l.parsed[i] = readTool(t)
		switch wrong := l.entries[i].wrong; {
		case t.Name == "":
			l.add(l.blame(t.Server), LintNoName, fmt.Sprintf("tool %d has no name", i+1))
		case wrong != nil:
			l.add(l.blame(t.Server), LintUnreadable, wrong.Error(), t.Name)
		}
	}
}
