package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/tooltrail/tooltrail/activation"
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
	"prefix_repair":              "prefix dropped or doubled",
	"guessed":                    "near an existing name",
	"unknown":                    "like no name there is",
	activation.RuleMadeUpID:      "an id that appeared nowhere before",
	activation.RuleLoop:          "the same failing call again and again",
	activation.RuleRepeatedLoad:  "loaded again in the same conversation",
	activation.RuleNeverCalled:   "loaded and never called",
	activation.RuleRefused:       "asked for and not loaded",
	activation.RuleSummaryCut:    "its summary was cut in the list",
	activation.RuleNameCollision: "names that differ in almost nothing",
}

// writeActivation answers: which tool names were guessed, unknown, not loaded or not permitted?
func writeActivation(w io.Writer, r *activation.Report, s Style) error {
	if err := section(w, s, "Activation", "which tool names were guessed, unknown, not loaded or not permitted?"); err != nil {
		return err
	}
	if err := ruleTable(r).write(w, s); err != nil {
		return err
	}
	if err := note(w, s, activationNote(r)); err != nil {
		return err
	}
	t := madeUpTable(r)
	if len(t.rows) == 0 {
		return nil
	}
	if err := note(w, s, "Made-up ids:"); err != nil {
		return err
	}
	return t.write(w, s)
}

// ruleTable has a row a rule that something broke, the most frequent first.
func ruleTable(r *activation.Report) *table {
	t := &table{columns: []column{
		{title: "rule", flex: true}, {title: "count", right: true}, {title: "tokens", right: true, drop: 2}, {title: "most often", flex: true},
		{title: "that is", flex: true, drop: 1},
	}}
	for _, name := range brokenRules(r) {
		rule := r.Rules[name]
		t.row(name, Count(int64(rule.Count)), someTokens(rule.Tokens), mostOften(rule), ruleWords[name])
	}
	return t
}

func brokenRules(r *activation.Report) []string {
	var all []string
	for name, rule := range r.Rules {
		if rule.Count > 0 {
			all = append(all, name)
		}
	}
	slices.SortFunc(all, func(a, b string) int {
		return cmp.Or(cmp.Compare(r.Rules[b].Count, r.Rules[a].Count), cmp.Compare(a, b))
	})
	return all
}

// mostOften is the name that broke a rule most, and what was meant by it.
func mostOften(r *activation.Rule) string {
	if len(r.Names) == 0 {
		return ""
	}
	n := &r.Names[0]
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
	case r.Calls == 0 && len(brokenRules(r)) == 0:
		return "No tool calls were seen."
	case r.Calls == 0:
		return "No tool calls were seen, only tool lists."
	case r.Judged == 0:
		return Plural(int64(r.Calls), "call") + "; no list of tools was seen, so that no name could be looked up."
	case len(brokenRules(r)) == 0:
		return Plural(int64(r.Judged), "call") + " looked up, and every name was right."
	}
	return Plural(int64(r.Calls), "call") + ", " + Count(int64(r.Judged)) + " of them looked up in a list of tools."
}

func madeUpTable(r *activation.Report) *table {
	t := &table{columns: []column{
		{title: "tool", flex: true}, {title: "id", flex: true}, {title: "argument", flex: true, drop: 1}, {title: "conversation", flex: true, drop: 2},
	}}
	for i := range r.MadeUpIDs[:min(len(r.MadeUpIDs), maxMadeUp)] {
		m := &r.MadeUpIDs[i]
		t.row(tool(m.Server, m.Tool), cmp.Or(m.Value, "digest "+m.Digest), m.Path, m.Conversation)
	}
	return t
}
