package report

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/tooltrail/tooltrail/prefix"
)

// maxConversations is how many conversations the table shows.
const maxConversations = 5

// verdictWords say in a few words what a break's verdict means.
var verdictWords = map[prefix.Verdict]string{
	prefix.ModelChanged:       "another model",
	prefix.ToolsChanged:       "other tools in the request",
	prefix.SystemChanged:      "another system prompt",
	prefix.ParamsChanged:      "thinking or another cached setting changed",
	prefix.Compaction:         "history was compacted",
	prefix.MessagesChanged:    "history was rewritten",
	prefix.BreakpointsChanged: "a cache marker moved or was lost",
	prefix.TTLExpired:         "the cache had expired",
	prefix.Unattributed:       "same request: the provider dropped the cache",
}

// writePrefix answers: what broke the prompt cache, and what did it cost?
func writePrefix(w io.Writer, r *prefix.Report, s Style) error {
	if err := section(w, s, "Prefix", "what broke the prompt cache, and what did it cost?"); err != nil {
		return err
	}
	if r.Requests == 0 {
		return note(w, s, "No model requests were seen.")
	}
	if judgedAnew(r) {
		if err := note(w, s, anewText); err != nil {
			return err
		}
	}
	if err := writeSavings(w, r, s); err != nil {
		return err
	}
	if err := breakTable(r).write(w, s); err != nil {
		return err
	}
	if err := note(w, s, prefixNote(r)); err != nil {
		return err
	}
	if err := writeFluxRisks(w, r, s); err != nil {
		return err
	}
	if err := writeBroken(w, r, s); err != nil {
		return err
	}
	if err := writeSpent(w, r, s); err != nil {
		return err
	}
	return writeWatch(w, r, s)
}

// writeBroken lists the conversations that lost most, where there are several.
func writeBroken(w io.Writer, r *prefix.Report, s Style) error {
	broken := brokenConversations(r)
	if len(broken) < 2 {
		return nil
	}
	t := conversationTable(broken[:s.most(maxConversations, len(broken))])
	return titled(w, s, "The conversations that lost most:", t, len(broken), maxConversations, "conversation")
}

// breakTable has a row a verdict that broke the cache, the dearest first.
func breakTable(r *prefix.Report) *table {
	t := &table{columns: []column{
		{title: "reason", flex: true}, {title: "requests", right: true, drop: 2}, {title: "tokens lost", right: true}, {title: "cost", right: true},
		{title: "that is", flex: true, drop: 1},
	}}
	for _, v := range brokenVerdicts(r) {
		b := r.Verdicts[v]
		what := verdictWords[v]
		if parts := unseenParts(r); v == prefix.Unattributed && len(parts) > 0 {
			what = "nothing that was recorded explains it; not recorded: " + strings.Join(parts, ", ")
		}
		if by := causesOf(r, v); by != "" {
			what += ": " + by
		}
		t.row(string(v), Count(b.Count), Tokens(b.TokensLost), leastUSD(b.CostUSD, b.Unpriced), what)
	}
	return t
}

func brokenVerdicts(r *prefix.Report) []prefix.Verdict {
	var all []prefix.Verdict
	for _, v := range prefix.Verdicts() {
		if v.Break() && r.Verdicts[v] != nil {
			all = append(all, v)
		}
	}
	slices.SortStableFunc(all, func(a, b prefix.Verdict) int {
		x, y := r.Verdicts[a], r.Verdicts[b]
		return cmp.Or(-cmp.Compare(dollars(x.CostUSD), dollars(y.CostUSD)), -cmp.Compare(x.TokensLost, y.TokensLost))
	})
	return all
}

// prefixNote says what was looked at.
func prefixNote(r *prefix.Report) string {
	var broken int64
	for _, v := range brokenVerdicts(r) {
		broken += r.Verdicts[v].Count
	}
	handed := lostNothing(r, broken)
	broken -= handed
	text := Plural(r.Requests, "request") + ", " + ofThem(uint64(broken), uint64(r.Requests)) + " broke the cache" + lost(r)
	if broken == 0 {
		text = Plural(r.Requests, "request") + ", and none broke the cache"
	}
	if handed > 0 {
		text += "; " + Plural(handed, "hand-over") + " to another model lost nothing"
	}
	if t := r.Verdicts[prefix.NoUsage]; t != nil {
		text += "; " + Count(t.Count) + " used nothing (aborted or failed)"
	}
	if r.Unpriced > 0 {
		text += "; " + Count(r.Unpriced) + " have no known price"
	}
	return text + "."
}

// lostNothing counts the breaks, of a number of them, that are known to have lost nothing: those that nothing would be saved of.
func lostNothing(r *prefix.Report, broken int64) int64 {
	switch {
	case judgedAnew(r) && r.Omitted == 0:
		var n int64
		for i := range r.Conversations {
			for _, b := range r.Conversations[i].Breaks {
				if b.TokensLost != nil && *b.TokensLost == 0 {
					n++
				}
			}
		}
		return n
	case judgedAnew(r) || r.SavingsOmitted > 0:
		return 0
	}
	for i := range r.Savings {
		broken -= r.Savings[i].Breaks
	}
	return max(broken, 0)
}

// judgedAnew reports that no verdicts of these settings were stored, so that the report knows no agents, days and savings.
func judgedAnew(r *prefix.Report) bool { return r.Requests > 0 && len(r.Days) == 0 }

// anewText says what a report lacks that judged all requests itself, and how to have it.
const anewText = "Judged anew here, since the running analyzer has not judged these requests by the same prices and settings: what to fix first, what " +
	"agents and days came to and what the providers say is not known. Start tooltrail up (or the analyzer) with these prices and settings to have it all."

// brokenConversations are those with breaks that lost something; the report has the dearest first.
func brokenConversations(r *prefix.Report) []prefix.Conversation {
	var all []prefix.Conversation
	for i := range r.Conversations {
		if c := &r.Conversations[i]; len(c.Breaks) > 0 && (c.TokensLost > 0 || c.UnpricedBreaks > 0) {
			all = append(all, r.Conversations[i])
		}
	}
	return all
}

// lost says what all breaks came to.
func lost(r *prefix.Report) string {
	if r.TokensLost == 0 {
		return ""
	}
	text := ": " + Count(r.TokensLost) + " tokens processed again"
	if r.LostUSD != nil && (*r.LostUSD > 0 || r.UnpricedBreaks == 0) {
		text += ", " + atLeast(r.UnpricedBreaks) + USD(*r.LostUSD) + " in all"
	}
	return text
}

func conversationTable(broken []prefix.Conversation) *table {
	t := &table{columns: []column{
		{title: "conversation", flex: true}, {title: "agent", flex: true, drop: 1}, {title: "requests", right: true, drop: 2},
		{title: "breaks", right: true, drop: 3}, {title: "tokens lost", right: true}, {title: "cost", right: true},
	}}
	for i := range broken {
		c := &broken[i]
		t.row(named(c.ID), c.Agent, Count(c.Requests), Count(int64(len(c.Breaks))), Tokens(c.TokensLost), leastUSD(c.LostUSD, c.UnpricedBreaks))
	}
	return t
}

// optionalUSD says an amount that may not be known.
func optionalUSD(v *float64) string {
	if v == nil {
		return "unknown"
	}
	return USD(*v)
}

// leastUSD says an amount that some have no part in, since what they cost is not known.
func leastUSD(v *float64, unknown int64) string {
	switch {
	case v == nil || *v == 0 && unknown > 0:
		return optionalUSD(nil)
	case unknown > 0:
		return "≥ " + USD(*v)
	}
	return USD(*v)
}

func dollars(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}

// named says that a name is empty.
func named(s string) string {
	if s == "" {
		return "(none)"
	}
	return s
}
