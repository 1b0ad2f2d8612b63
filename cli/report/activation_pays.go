package report

import (
	"cmp"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/tooltrail/tooltrail/activation"
)

// maxPays is how many agents the comparison shows.
const maxPays = 5

// writePays compares loading on demand with loading everything, the agents for whom it makes most difference first.
func writePays(w io.Writer, all []activation.Pay, s Style) error {
	if len(all) == 0 {
		return nil
	}
	if err := note(w, s, "Tokens of tools loaded on demand against all loaded (texts are estimates):"); err != nil {
		return err
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b activation.Pay) int {
		return cmp.Compare(math.Abs(b.SavedTokens), math.Abs(a.SavedTokens))
	})
	if err := payTable(all[:s.most(maxPays, len(all))]).write(w, s); err != nil {
		return err
	}
	return more(w, s, len(all), maxPays, "agent")
}

func payTable(all []activation.Pay) *table {
	t := &table{columns: []column{
		{title: "agent", flex: true}, {title: "requests", right: true, drop: 4}, {title: "list", right: true, drop: 3},
		{title: "loaded", right: true, drop: 3}, {title: "trips", right: true, drop: 2}, {title: "guesses", right: true, drop: 1},
		{title: "on demand", right: true}, {title: "all loaded", right: true}, {title: "pays"},
	}}
	for i := range all {
		p := &all[i]
		n := float64(p.Requests)
		t.row(named(p.Agent), requestsOf(p), estimated(p.RosterTokens*n), estimated(p.LoadedTokens*n),
			knownTokens(p.RoundTripTokens, p.RoundTrips), knownTokens(p.GuessTokens, p.Guesses), estimated(p.OnDemandTokens), estimated(p.AllLoadedTokens), paysWord(p))
		t.under(paysSentence(p))
	}
	return t
}

func estimated(n float64) string { return Tokens(int64(math.Round(n))) }

// requestsOf is the number of requests; none reported is not one.
func requestsOf(p *activation.Pay) string {
	if !p.RequestsReported {
		return "-"
	}
	return Count(int64(p.Requests))
}

// knownTokens are the tokens of so many answers or calls, where they were reported.
func knownTokens(n *uint64, of uint64) string {
	if n == nil && of > 0 {
		return "not known"
	}
	return Tokens(int64(orNone(n)))
}

// unknownPart says which tokens a saving does not count.
func unknownPart(p *activation.Pay) string {
	var parts []string
	if p.RoundTripTokens == nil && p.RoundTrips > 0 {
		parts = append(parts, Plural(int64(p.RoundTrips), "round trip"))
	}
	if p.GuessTokens == nil && p.Guesses > 0 {
		parts = append(parts, Plural(int64(p.Guesses), "call")+" by wrong names")
	}
	return strings.Join(parts, " and ")
}

// notKnown says why it is not known whether it pays.
func notKnown(p *activation.Pay) string {
	switch left := unknownPart(p); {
	case p.ToolsKnown < p.Tools || p.Tools == 0:
		return "of its " + tools(p.Tools) + " the definitions of " + Count(int64(math.Round(p.ToolsKnown))) +
			" were seen. Send tool_definition for all of them."
	case p.SavedTokens > 0 && left != "":
		return "it saves " + estimated(p.SavedTokens) + " tokens before " + left + ", of which none were reported. Send input_tokens and output_tokens " +
			"with tool_call and activation."
	}
	return "no requests were reported, so that each text counts once a conversation. Send request_prefix."
}

// perConversation says what was counted where no requests were reported.
func perConversation(p *activation.Pay) string {
	if p.RequestsReported {
		return ""
	}
	return " No requests were reported and each conversation counts as one, so it saves at least that."
}

// paysSentence says what the figures come to and what to do.
func paysSentence(p *activation.Pay) string {
	switch {
	case p.Pays == nil:
		return "Whether it pays is not known: " + notKnown(p)
	case *p.Pays:
		return "Loading on demand saves " + estimated(p.SavedTokens) + " tokens, " + Percent(p.SavedTokens/p.AllLoadedTokens) +
			" of what all definitions in each request would take. Keep it." + perConversation(p)
	case p.SavedTokens == 0:
		return "Loading on demand saves nothing. " + dearest(p)
	}
	return "Loading on demand takes " + estimated(-p.SavedTokens) + " tokens more than all definitions in each request would. " + dearest(p)
}

func orNone(n *uint64) uint64 {
	if n == nil {
		return 0
	}
	return *n
}

func tools(n float64) string { return Plural(int64(math.Round(n)), "tool") }

// dearest says what loading on demand costs most by, and what to do about it.
func dearest(p *activation.Pay) string {
	n := float64(p.Requests)
	parts := []struct {
		tokens float64
		text   string
	}{
		{p.RosterTokens * n, "Most of it is the list: shorten it, or give the model all definitions from the start."},
		{p.LoadedTokens * n, "Most of it is definitions that were loaded: load fewer, or give the model all definitions from the start."},
		{float64(orNone(p.RoundTripTokens)), "Most of it is round trips: have tools loaded together, in one go."},
		{float64(orNone(p.GuessTokens)), "Most of it is calls by wrong names: show every name as it has to be called."},
	}
	most := parts[0]
	for _, part := range parts[1:] {
		if part.tokens > most.tokens {
			most = part
		}
	}
	return most.text
}

// paysWord says whether it pays, where the definitions are known.
func paysWord(p *activation.Pay) string {
	switch {
	case p.Pays == nil:
		return "not known"
	case *p.Pays:
		return "yes"
	}
	return "no"
}
