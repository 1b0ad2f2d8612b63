package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/finding"
)

// maxMadeUp is how many made-up ids the table shows.
const maxMadeUp = 5

// ruleWords say in a few words what broke a rule.
var ruleWords = map[string]string{
	"not_activated":              "called before it was loaded",
	"renamed":                    "called by a former name",
	"not_connected":              "its server is not connected",
	"not_permitted":              "known, but not allowed",
	"connector_name":             "a server's name, called as a tool",
	"prefix_repair":              "its prefix dropped, doubled or added",
	"guessed":                    "near an existing name",
	"unknown":                    "like no name there is",
	activation.RuleMadeUpID:      "an id that appeared nowhere before",
	activation.RuleLoop:          "the same failing call again and again",
	activation.RuleRepeatedLoad:  "loaded again in the same conversation",
	activation.RuleNeverCalled:   "loaded and never called",
	activation.RuleRefused:       "asked for and not loaded",
	activation.RuleSummaryCut:    "its summary was cut in the list",
	activation.RuleNameCollision: "names that differ in almost nothing",

	activation.RuleActivationFailed: "asked for tools, and none was loaded",
	activation.RuleRoundTrips:       "asked for tools again right away",
	activation.RuleRemoved:          "called after it was removed",
	activation.RuleIdlePermission:   "not permitted, and not there either",
}

// writeActivation answers: which tool names were guessed, unknown, not loaded or not permitted?
func writeActivation(w io.Writer, whole *analyzer.Report, s Style) error {
	r := &whole.Activation
	if err := section(w, s, "Activation", "which tool names were guessed, unknown, not loaded or not permitted?"); err != nil {
		return err
	}
	if err := ruleTable(r, severities(whole.Findings), s).write(w, s); err != nil {
		return err
	}
	if err := note(w, s, activationNote(r)); err != nil {
		return err
	}
	if err := writePays(w, r.Pays, s); err != nil {
		return err
	}
	if len(r.MadeUpIDs) == 0 {
		return nil
	}
	if err := note(w, s, "Made-up ids:"); err != nil {
		return err
	}
	if err := madeUpTable(r.MadeUpIDs[:s.most(maxMadeUp, len(r.MadeUpIDs))]).write(w, s); err != nil {
		return err
	}
	return more(w, s, len(r.MadeUpIDs), maxMadeUp, "made-up id")
}

// ruleTable has a row a rule that something broke, the most severe first and then the most frequent, and under each what it means, who broke it
// most and what to do. The whole report names more conversations.
func ruleTable(r *activation.Report, severe map[string]int, s Style) *table {
	t := &table{columns: []column{
		{title: "rule"}, {title: "count", right: true}, {title: "tokens", right: true, drop: 3}, {title: "most often", flex: true},
	}}
	broken := brokenRules(r, severe)
	priced := slices.ContainsFunc(broken, func(name string) bool { return r.Rules[name].CostUSD != nil })
	if priced {
		t.columns = append(t.columns, column{title: "at most", right: true, drop: 4})
	}
	for _, name := range broken {
		rule := r.Rules[name]
		cells := []string{name, Count(int64(rule.Count)), someTokens(rule.Tokens), mostOften(rule, most(r, name))}
		if priced {
			cells = append(cells, someUSD(rule.CostUSD))
		}
		t.row(cells...)
		t.under(sentenceOf(name, rule, s))
		if rule.Action != "" {
			t.under("-> " + rule.Action)
		}
	}
	return t
}

// maxWorst is how many conversations are named under a rule.
const maxWorst = 5

// worstIn names the conversations that broke a rule most, with their counts.
func worstIn(r *activation.Rule) string {
	if len(r.Worst) == 0 {
		return ""
	}
	var all []string
	for _, p := range r.Worst[:min(maxWorst, len(r.Worst))] {
		all = append(all, fmt.Sprintf("%s (%s)", Safe(p.Name), Count(int64(p.Count))))
	}
	return "in " + Plural(int64(r.Conversations), "conversation") + ", most in " + strings.Join(all, ", ")
}

// sentenceOf says what a rule means, and the agent, the model and the conversation that broke it most, each with its own count.
func sentenceOf(name string, r *activation.Rule, s Style) string {
	parts := []string{ruleWords[name]}
	if who := whoBroke(r); who != "" {
		parts = append(parts, "mostly by "+who)
	}
	switch {
	case len(r.Worst) == 0:
	case s.All:
		parts = append(parts, worstIn(r))
	default:
		parts = append(parts, "most in conversation "+countedPart(r.Worst[0]))
	}
	text := strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "; ")
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

func countedPart(p activation.Part) string {
	return fmt.Sprintf("%s (%s)", Cut(Safe(p.Name), maxCell), Count(int64(p.Count)))
}

func someUSD(v *float64) string {
	if v == nil {
		return ""
	}
	return USD(*v)
}

// whoBroke names the agent and the model that broke a rule most: they need not be those of the same calls.
func whoBroke(r *activation.Rule) string {
	var who []string
	for _, of := range []struct {
		word  string
		parts []activation.Part
	}{{"agent", r.Agents}, {"model", r.Models}} {
		if len(of.parts) > 0 && of.parts[0].Name != "" {
			who = append(who, of.word+" "+countedPart(of.parts[0]))
		}
	}
	return strings.Join(who, " and by ")
}

// severities are how severe the worst finding of each rule is.
func severities(fs []finding.Finding) map[string]int {
	worst := map[string]int{}
	for i := range fs {
		if f := &fs[i]; f.Detector == activation.Detector {
			worst[f.Rule] = max(worst[f.Rule], 1+f.Severity.Rank())
		}
	}
	return worst
}

// most names what broke a rule most where the rule itself lists no names.
func most(r *activation.Report, rule string) activation.Name {
	var top activation.Name
	for i := range r.Loads {
		l := &r.Loads[i]
		n := l.NeverCalled
		if rule == activation.RuleRepeatedLoad {
			n = l.Repeated
		}
		if (rule == activation.RuleNeverCalled || rule == activation.RuleRepeatedLoad) && n > top.Count {
			top = activation.Name{Called: l.Tool, Count: n}
		}
	}
	longest := uint64(0)
	for i := range r.Loops {
		if l := &r.Loops[i]; rule == activation.RuleLoop && l.Calls > longest {
			top.Called, longest = tool(l.Server, l.Tool), l.Calls
		}
	}
	if rule == activation.RuleMadeUpID && len(r.MadeUpIDs) > 0 {
		top.Called = tool(r.MadeUpIDs[0].Server, r.MadeUpIDs[0].Tool)
	}
	return top
}

func brokenRules(r *activation.Report, severe map[string]int) []string {
	var all []string
	for name, rule := range r.Rules {
		if rule.Count > 0 {
			all = append(all, name)
		}
	}
	slices.SortFunc(all, func(a, b string) int {
		return cmp.Or(-cmp.Compare(severe[a], severe[b]), cmp.Compare(r.Rules[b].Count, r.Rules[a].Count), cmp.Compare(a, b))
	})
	return all
}

// mostOften is the name that broke a rule most, and what was meant by it.
func mostOften(r *activation.Rule, otherwise activation.Name) string {
	n := &otherwise
	if len(r.Names) > 0 {
		n = &r.Names[0]
	}
	if n.Called == "" && len(r.Names) == 0 {
		return ""
	}
	text := named(n.Called)
	if n.Meant != "" && n.Meant != n.Called {
		text += " -> " + n.Meant
	}
	if n.Count < r.Count && n.Count > 1 {
		text += fmt.Sprintf(" (%s)", Count(int64(n.Count)))
	}
	return text
}

func someTokens(n uint64) string {
	if n == 0 {
		return ""
	}
	return Tokens(int64(n))
}

// activationNote says what was looked at.
func activationNote(r *activation.Report) string {
	switch {
	case r.Calls == 0 && len(brokenRules(r, nil)) == 0:
		return "No tool calls were seen."
	case r.Calls == 0:
		return "No tool calls were seen, only tool lists."
	case r.Judged == 0:
		return Plural(int64(r.Calls), "call") + "; of none of them the list of tools is known that its agent had, so that no name could be looked up."
	case len(brokenRules(r, nil)) == 0:
		return Plural(int64(r.Judged), "call") + " looked up, and every name was right."
	}
	text := Plural(int64(r.Calls), "call") + ", " + ofThem(r.Judged, r.Calls) + " " + were(r.Judged) + " looked up in a list of tools."
	if r.Judged < r.Calls {
		text += " The others wait for what may still come in, or their agent sent no tool_roster before them, or no conversation_id."
	}
	return text + " The worst rules come first, then those broken most often."
}

func madeUpTable(ids []activation.MadeUp) *table {
	t := &table{columns: []column{
		{title: "tool", flex: true}, {title: "id", flex: true}, {title: "argument", flex: true, drop: 1}, {title: "conversation", flex: true, drop: 2},
	}}
	for i := range ids {
		m := &ids[i]
		t.row(tool(m.Server, m.Tool), cmp.Or(m.Value, "digest "+m.Digest), m.Path, m.Conversation)
	}
	return t
}
