package activation

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/tooltrail/tooltrail/events"
)

// names finds names that several tools have, and names that a model can't tell apart.
func (l *linter) names() {
	count := map[string]int{}
	own := map[string]bool{}
	alike := map[string][]string{}
	var order []string
	for i := range l.tools {
		t := &l.tools[i]
		if t.Name == "" {
			continue
		}
		key := t.Name
		if len(t.Name) <= maxName {
			key = fold(t.Name)
		}
		if l.options.own(t.Server) {
			own[key], l.ownName[t.Name] = true, true
		}
		if count[t.Name]++; count[t.Name] > 1 {
			continue
		}
		if alike[key] = append(alike[key], t.Name); len(alike[key]) == 1 {
			order = append(order, key)
		}
	}
	l.unfitNames(alike, order)
	for _, key := range order {
		l.sameNames(alike[key], count)
		if key != "" && len(alike[key]) > 1 {
			l.alike(alike[key], own[key])
		}
	}
}

func (l *linter) sameNames(names []string, count map[string]int) {
	for _, name := range names {
		if n := count[name]; n > 1 {
			l.add(LintError, LintDuplicate, fmt.Sprintf("%d tools have this name: a model can call one of them only; rename the others, or put their servers before the names", n), name)
		}
	}
}

// unfitNames finds names that some provider refuses, look-alikes among them.
func (l *linter) unfitNames(alike map[string][]string, order []string) {
	for _, key := range order {
		for _, name := range alike[key] {
			if name != sanitise(name) {
				l.add(LintWarning, LintUnfit, unfitText(name), name)
			}
		}
	}
}

// unfitText says what is wrong with a name, and what becomes of it. What can't be seen in the name is written out.
func unfitText(name string) string {
	written := ""
	if quoted := quoteName(name); quoted != name {
		written = "is " + quoted + "; "
	}
	return fmt.Sprintf("%ssome providers refuse it, and agents change it before they send it, such as to %s (A-Z a-z 0-9 _ -, at most %d)", written, sanitise(name), maxSanitised)
}

func (l *linter) alike(names []string, own bool) {
	level := LintWarning
	if own {
		level = LintError
	}
	l.add(level, LintAlike, "the names differ in case or separators alone: a model mixes them up, and nobody can say which one it meant; rename all but one", slices.Sorted(slices.Values(names))...)
}

// howTo are the words that say how a tool is to be used: what a model does wrong without.
var howTo = map[string]bool{
	"after": true, "already": true, "always": true, "avoid": true, "before": true, "cannot": true, "deprecated": true, "either": true, "except": true,
	"exactly": true, "first": true, "if": true, "important": true, "instead": true, "irreversible": true, "must": true, "never": true, "not": true,
	"note": true, "once": true, "only": true, "optional": true, "prefer": true, "required": true, "requires": true, "should": true, "unless": true, "until": true,
	"warning": true, "when": true,
}

// howToWords returns the how-to words of a text, each once, in its order.
func howToWords(text string) []string {
	var out []string
	isWord := func(c rune) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '\'' }
	for word := range strings.FieldsFuncSeq(text, func(c rune) bool { return !isWord(c) }) {
		if word = strings.ToLower(word); strings.HasSuffix(word, "n't") || word == "can't" {
			word = "not"
		}
		if howTo[word] && !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	return out
}

// summaries holds descriptions to the limit.
func (l *linter) summaries() {
	for i, e := range l.entries {
		if e.name == "" || e.definition == nil || l.parsed[i].Raw == nil {
			continue
		}
		kept, lost := CutText(start(e.description), l.options.Text.SummaryLimit)
		switch {
		case kept == "" && lost == "" && !l.parsed[i].ProviderRun:
			l.add(LintWarning, LintNoSummary, "no description: a model has the name alone to choose by; write a sentence", e.name)
		case lost != "":
			l.cut(e, lost)
		}
	}
}

// maxLinted is how much of a description is read for what its cut loses, in bytes: far more than any roster shows.
const maxLinted = 64 << 10

// start returns what is read of a text.
func start(text string) string { return text[:min(len(text), maxLinted)] }

// cut reports a summary over the limit: an error where the team can shorten it.
func (l *linter) cut(e *entry, lost string) {
	f := l.cutText(e.server, e.description, lost, l.options.Text.SummaryLimit)
	f.Tools = []string{e.name}
	l.report.Findings = append(l.report.Findings, f)
}

// cutText says what the cut of a text of a server loses.
func (l *linter) cutText(server, text, lost string, limit int) LintFinding {
	f := LintFinding{Level: LintNote, Rule: LintCut, Lost: lost, LostWords: howToWords(lost)}
	n := strconv.Itoa(utf8.RuneCountInString(cleanText(start(text))))
	if len(text) > maxLinted {
		n = "more than " + n
	}
	f.Text = fmt.Sprintf("cut from %s characters to the limit of %d", n, limit)
	switch {
	case l.options.own(server):
		f.Level, f.Rule, f.Text = LintError, LintTooLong, fmt.Sprintf("%s characters, the limit is %d: shorten it, or say what matters first", n, limit)
	case len(f.LostWords) > 0:
		f.Level = LintWarning
	}
	return f
}

// descriptions holds the descriptions of servers to the limit.
func (l *linter) descriptions() {
	for _, server := range slices.Sorted(maps.Keys(l.options.Descriptions)) {
		text := l.options.Descriptions[server]
		if _, lost := CutText(start(text), l.options.Text.DescriptionLimit); lost != "" {
			f := l.cutText(server, text, lost, l.options.Text.DescriptionLimit)
			f.Text = "the description of the server " + quoteName(server) + ": " + f.Text
			l.report.Findings = append(l.report.Findings, f)
		}
	}
}

// order finds the first tool that is out of order. A roster sorts; an array of tools that is sent as it came does not.
func (l *linter) order() {
	for i := 1; i < len(l.tools); i++ {
		if l.tools[i].Name == "" {
			return // said already; what follows is in no order
		}
		if was, is := l.tools[i-1].Name, l.tools[i].Name; l.tools[i-1].Server == l.tools[i].Server && is < was {
			l.add(LintNote, LintOrder, fmt.Sprintf("not sorted: %q comes after %q; sort an array of tools before it is sent", is, was), is)
			return
		}
	}
}

// twice builds the roster twice, the second time backwards, and compares what was taken twice.
func (l *linter) twice() {
	tools, entries := slices.Clone(l.tools), slices.Clone(l.entries)
	slices.Reverse(tools)
	slices.Reverse(entries)
	l.roster = l.rosterOf(l.tools, l.entries)
	l.shown = l.roster.Text(l.options.Text)
	if l.shown != l.rosterOf(tools, entries).Text(l.options.Text) {
		l.add(LintError, LintNotSame, "the roster's text depends on the order of the tools")
	}
	if l.options.Again != nil {
		l.compareAgain()
		l.compareDescriptions()
	}
}

// rosterOf makes a roster of tools whose definitions are read already.
func (l *linter) rosterOf(tools []Tool, entries []*entry) *Roster {
	r := NewRoster(RosterInput{Tools: tools, Descriptions: l.options.Descriptions})
	r.book = sync.OnceValue(func() *book {
		return r.bookOf(func(i int) *entry {
			if r.tools[i].Name != entries[i].name {
				return newEntry(&r.tools[i]) // it got its server before its name
			}
			e := *entries[i]
			return &e
		})
	})
	return r
}

// compareDescriptions compares the servers' descriptions with those taken a second time.
func (l *linter) compareDescriptions() {
	for _, server := range slices.Sorted(maps.Keys(l.options.Descriptions)) {
		if l.options.Descriptions[server] != l.options.AgainDescriptions[server] {
			l.add(l.blame(server), LintNotSame, "the second time the description of the server "+quoteName(server)+" is another: the roster is another in each conversation")
		}
	}
}

// compareAgain compares the tools with those taken a second time; of several with one name the first with the first, and so on.
func (l *linter) compareAgain() {
	again := make(map[serverTool][]*Tool, len(l.options.Again))
	for i := range l.options.Again {
		t := &l.options.Again[i]
		key := serverTool{t.Server, t.Name}
		again[key] = append(again[key], t)
	}
	for i := range l.tools {
		t := &l.tools[i]
		key := serverTool{t.Server, t.Name}
		if len(again[key]) == 0 {
			l.add(l.blame(t.Server), LintNotSame, "is not there the second time", t.Name)
			continue
		}
		other := again[key][0]
		again[key] = again[key][1:]
		if !bytes.Equal(t.Definition, other.Definition) {
			l.add(l.blame(t.Server), LintNotSame, difference(t, other), t.Name)
		}
	}
	sameOrder := slices.EqualFunc(l.tools, l.options.Again, func(a, b Tool) bool { return a.Name == b.Name && a.Server == b.Server })
	if !sameOrder {
		l.add(LintWarning, LintNotSame, "the second time the tools, or their order, are others: an array of tools that is sent as it comes breaks the prompt cache")
	}
}

// difference says how two definitions of a tool differ.
func difference(a, b *Tool) string {
	x, err := events.Digester{}.Tool(a.Definition)
	y, err2 := events.Digester{}.Tool(b.Definition)
	if err == nil && err2 == nil && x.Definition == y.Definition {
		return "the second time the same definition is in other bytes: its keys have no fixed order"
	}
	return "the second time the definition is another"
}
