package activation

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
)

// Detector is the detector of this package's findings.
const Detector = "activation"

// advice is what is said and done about a call whose name was not simply right.
type advice struct{ title, action string }

var adviceFor = map[events.Resolution]advice{
	events.ResolvedNotActivated: {
		"%s was called before it was loaded",
		"Tell the model of {agent} to load {tool} first, together with the tool that supplies its arguments, and to call it in the next step.",
	},
	events.ResolvedRenamed: {
		"%s was called by its former name",
		"Replace {tool} by {meant} in the prompts, examples and saved conversations of {agent}.",
	},
	events.ResolvedNotConnected: {
		"%s was called while its server was not connected",
		"Connect the server of {tool}, or take its tools out of the roster of {agent} while it is away.",
	},
	events.ResolvedNotPermitted: {
		"%s was called without permission",
		"Grant {agent} the permission for {tool}, or leave the tool out of the roster there.",
	},
	events.ResolvedConnectorName: {
		"%s was called, which is a server and no tool",
		"Say in the roster of {agent} that {tool} is a server and can't be called, and that the tool that loads lists its tools when it is asked for that name.",
	},
	events.ResolvedPrefixRepair: {
		"%s was called with the wrong prefix",
		"Show {meant} by its full name in the roster of {agent}, and use one prefix a server.",
	},
	events.ResolvedGuessed: {
		"%s was called, a guess at a name",
		"Put {meant} into the roster in front of the model of {agent}, written as it has to be called.",
	},
	events.ResolvedUnknown: {
		"%s was called and no tool is like it",
		"Look in the prompt of {agent} for what suggests {tool}, and answer the call with an error that says there is no such tool.",
	},
}

// add signs and keeps a finding.
func (a *analysis) add(f finding.Finding) {
	f.Detector, f.Window = Detector, a.window
	f.Sign()
	a.found = append(a.found, f)
}

// grade is a warning for what concerns more than a small share of all calls.
func (a *analysis) grade(count uint64) finding.Severity {
	if a.report.Calls > 0 && float64(count)/float64(a.report.Calls) > a.settings.WarnShare {
		return finding.Warning
	}
	return finding.Info
}

func (a *analysis) nameFinding(rule string, r *Rule, n *Name) {
	text, known := adviceFor[events.Resolution(rule)]
	if !known || n.Count < a.settings.MinCalls || len(r.Names) > a.settings.Findings {
		return
	}
	title := fmt.Sprintf(text.title, printable(n.Called)) + times(n.Count)
	if n.Meant != "" && n.Meant != n.Called {
		title += meantBy(n)
	}
	severity := a.grade(r.Count)
	if rule == string(events.ResolvedNotPermitted) || wrongNames[rule] && n.Count >= warnCalls {
		severity = finding.Warning
	}
	a.add(finding.Finding{
		Rule: rule, Severity: severity, Title: title, Action: strings.ReplaceAll(text.action, "{meant}", nameOr(n.Meant, "the tool")),
		Subject: finding.Subject{Server: n.Server, Tool: n.Called},
		Numbers: map[string]float64{
			"calls": float64(n.Count), "conversations": float64(n.Conversations), "tokens": float64(n.Tokens),
			"rule_calls": float64(r.Count),
		},
	})
}

// warnCalls is how many calls by one wrong name are a warning, whatever their share of all calls: each failed and cost an answer of the model.
const warnCalls = 3

// meantBy says what was meant by a name, and where that is a tool that is there no more.
func meantBy(n *Name) string {
	if n.How == HowRemovedSynonym || n.How == HowRemoved {
		return "; it is like " + printable(n.Meant) + ", which was there before and is not any more"
	}
	return "; meant was " + printable(n.Meant)
}

// toolKey is a tool of a server.
type toolKey struct{ server, tool string }

func (a *analysis) madeUpFindings() {
	var order []toolKey
	count := map[toolKey]uint64{}
	conversations := map[toolKey]map[string]bool{}
	for _, m := range a.report.MadeUpIDs {
		k := toolKey{m.Server, m.Tool}
		if count[k] == 0 {
			order = append(order, k)
			conversations[k] = map[string]bool{}
		}
		count[k]++
		conversations[k][m.Conversation] = true
	}
	for _, k := range order {
		a.add(finding.Finding{
			Rule: RuleMadeUpID, Severity: finding.Warning,
			Title:   fmt.Sprintf("%s in calls of %s that appeared nowhere before in the conversation", several(count[k], "id"), printable(k.tool)),
			Action:  actions[RuleMadeUpID],
			Subject: finding.Subject{Server: k.server, Tool: k.tool},
			Numbers: map[string]float64{"ids": float64(count[k]), "conversations": float64(len(conversations[k]))},
		})
	}
}

func (a *analysis) loopFindings() {
	type total struct {
		worst                Loop
		loops, calls, tokens uint64
		last                 time.Time
	}
	var order []toolKey
	all := map[toolKey]*total{}
	for _, l := range a.report.Loops {
		k := toolKey{l.Server, l.Tool}
		if all[k] == nil {
			order = append(order, k)
			all[k] = &total{worst: l}
		}
		all[k].loops++
		all[k].calls += l.Calls
		all[k].tokens += l.Tokens
		if l.Last.After(all[k].last) {
			all[k].last = l.Last
		}
		a.calledBy(RuleLoop, l.Server, l.Tool, l.Agent)
	}
	for _, k := range order {
		t := all[k]
		a.add(finding.Finding{
			Rule: RuleLoop, Severity: finding.Warning,
			Title: fmt.Sprintf("The same failing call of %s was made up to %d times in a row (conversation %s)",
				printable(k.tool), t.worst.Calls, printable(t.worst.Conversation)),
			Action:    actions[RuleLoop],
			Subject:   finding.Subject{Server: k.server, Tool: k.tool},
			LastEvent: t.last,
			Numbers: map[string]float64{
				"loops": float64(t.loops), "calls": float64(t.calls), "longest": float64(t.worst.Calls), "tokens": float64(t.tokens),
			},
		})
	}
}

func (a *analysis) loadFindings(l *Load) {
	numbers := map[string]float64{
		"loaded": float64(l.Loaded), "repeated": float64(l.Repeated), "never_called": float64(l.NeverCalled),
	}
	if l.Repeated+1 >= a.settings.RepeatedLoads && l.Repeated > 0 {
		a.add(finding.Finding{
			Rule: RuleRepeatedLoad, Severity: finding.Info,
			Title:   fmt.Sprintf("%s was loaded again%s though it was loaded", printable(l.Tool), times(l.Repeated)),
			Action:  actions[RuleRepeatedLoad],
			Subject: finding.Subject{Tool: l.Tool}, Numbers: numbers,
		})
	}
	if l.Loaded >= a.settings.MinLoaded && float64(l.NeverCalled)/float64(l.Loaded) > a.settings.NeverCalledShare {
		a.add(finding.Finding{
			Rule: RuleNeverCalled, Severity: finding.Info,
			Title:   fmt.Sprintf("%s was loaded in %d conversations and never called in %d of them", printable(l.Tool), l.Loaded, l.NeverCalled),
			Action:  actions[RuleNeverCalled],
			Subject: finding.Subject{Tool: l.Tool}, Numbers: numbers,
		})
	}
}

func (a *analysis) refusalFinding(n *Name) {
	if len(a.report.Rules[RuleRefused].Names) > a.settings.Findings {
		return
	}
	a.add(finding.Finding{
		Rule: RuleRefused, Severity: finding.Info,
		Title:   fmt.Sprintf("Loading %s was refused%s: %s", printable(n.Called), times(n.Count), strings.ReplaceAll(n.How, "_", " ")),
		Action:  actions[RuleRefused],
		Subject: finding.Subject{Tool: n.Called},
		Numbers: map[string]float64{"times": float64(n.Count), "conversations": float64(n.Conversations)},
	})
}

func (a *analysis) rosterFindings() {
	if r := a.report.Rules[RuleSummaryCut]; r.Count > 0 {
		a.add(finding.Finding{
			Rule: RuleSummaryCut, Severity: finding.Info,
			Title:   fmt.Sprintf("The roster cut the summaries of %s, such as that of %s", several(r.Count, "tool"), printable(r.Names[0].Called)),
			Action:  a.actionOf(RuleSummaryCut),
			Numbers: map[string]float64{"tools": float64(r.Count)},
		})
	}
	for i, n := range a.report.Rules[RuleNameCollision].Names {
		if i >= a.settings.Findings {
			return
		}
		a.add(finding.Finding{
			Rule: RuleNameCollision, Severity: finding.Warning,
			Title:   fmt.Sprintf("Names in one roster differ only in case or separators: %s", printable(n.Called)),
			Action:  actions[RuleNameCollision],
			Subject: finding.Subject{Tool: n.Called},
			Numbers: map[string]float64{"rosters": float64(n.Count)},
		})
	}
}

func times(n uint64) string {
	if n == 1 {
		return " once"
	}
	return fmt.Sprintf(" %d times", n)
}

// several counts things of one kind.
func several(n uint64, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

func joinNames(names []string) string { return strings.Join(names, ", ") }

// maxPrinted is how much of a name is printed, in characters.
const maxPrinted = 80

// printable makes a name that a model gave fit for a line of text: no control characters, not too long.
func printable(name string) string {
	var b strings.Builder
	n := 0
	for _, c := range name {
		if n++; n > maxPrinted {
			b.WriteRune('…')
			break
		}
		if !unicode.IsPrint(c) {
			c = unicode.ReplacementChar
		}
		b.WriteRune(c)
	}
	if b.Len() == 0 {
		return "(no name)"
	}
	return b.String()
}
