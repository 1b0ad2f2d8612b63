package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tooltrail/tooltrail/prefix"
)

// foot adds up.
func (t *Timeline) foot() []string {
	all := append([]string{t.Totals.verdictText()}, t.Totals.Text()...)
	if dear := Dearest(t.Requests, maxDearest); len(dear) > 1 {
		var parts []string
		for _, r := range dear {
			parts = append(parts, fmt.Sprintf("request %d (%s, %s tokens, %s)", r.Request, r.Verdict, optionalCount(r.TokensLost), FineUSD(r.LostUSD)))
		}
		all = append(all, "The dearest: "+strings.Join(parts, ", ")+".")
	}
	return all
}

// verdictText counts the verdicts.
func (c *CacheTotals) verdictText() string {
	var parts []string
	for _, v := range prefix.Verdicts() {
		if n := c.Verdicts[v]; n > 0 {
			parts = append(parts, Count(n)+" "+string(v))
		}
	}
	return Plural(c.Requests, "request") + ": " + strings.Join(parts, ", ") + "."
}

// Text says what the breaks came to, and what is not known of them; each in a sentence of its own.
func (c *CacheTotals) Text() []string {
	all := notEmpty([]string{c.lostText(), c.handedText()})
	all = append(all, c.unreadTexts()...)
	if c.UnknownTokens > 0 {
		all = append(all, Plural(c.UnknownTokens, "break")+" of unknown size: usage was not reported.")
	}
	if n := c.UnknownCost - c.UnknownTokens; n > 0 {
		all = append(all, Plural(n, "break")+" without a known price.")
	}
	if c.Unreported > 0 {
		all = append(all, Plural(c.Unreported, "request")+" without usage: judged by what was sent alone.")
	}
	if n := c.Agreed + c.Disagreed + c.Unclear; n > 0 {
		all = append(all, fmt.Sprintf("The provider's own diagnoses: agree %d, disagree %d, unclear %d.", c.Agreed, c.Disagreed, c.Unclear))
	}
	return all
}

// lostText says what the breaks that lost something came to; "" where nobody knows how much.
func (c *CacheTotals) lostText() string {
	n := c.Breaks - c.LostNothing
	switch {
	case n == 0 && len(c.unreadTexts()) > 0:
		return "No break: there was nothing in the cache that could have been lost."
	case n == 0:
		return "None broke the cache."
	case c.UnknownTokens == n:
		return ""
	}
	text := Plural(n, "break") + ": " + Count(c.TokensLost) + " tokens processed again"
	switch {
	case c.LostUSD == nil || *c.LostUSD == 0 && c.UnknownCost > 0:
		return text + "."
	case c.CostUSD != nil && *c.CostUSD > 0:
		return text + ", " + atLeast(c.UnknownCost) + USD(*c.LostUSD) + " of the " + USD(*c.CostUSD) + " that the requests cost."
	}
	return text + ", " + atLeast(c.UnknownCost) + USD(*c.LostUSD) + "."
}

// handedText counts the breaks that lost nothing.
func (c *CacheTotals) handedText() string {
	if c.LostNothing == 0 {
		return ""
	}
	return Plural(c.LostNothing, "hand-over") + " to another model lost nothing."
}

// atLeast goes before a sum of dollars that some have no part in, since their cost is not known.
func atLeast(unknown int64) string {
	if unknown > 0 {
		return "at least "
	}
	return ""
}

// Dearest returns the breaks of some requests that lost most, the dearest first, at most limit of them.
func Dearest(all []JudgedRequest, limit int) []*JudgedRequest {
	var broke []*JudgedRequest
	for i := range all {
		if all[i].Break {
			broke = append(broke, &all[i])
		}
	}
	slices.SortStableFunc(broke, CompareLost)
	return broke[:min(limit, len(broke))]
}

// CompareLost orders breaks by what they lost, the most first: by dollars, else by tokens; what is not known comes last.
func CompareLost(a, b *JudgedRequest) int {
	return cmp.Or(-cmp.Compare(dollars(a.LostUSD), dollars(b.LostUSD)), -cmp.Compare(tokensOf(a), tokensOf(b)))
}

func tokensOf(r *JudgedRequest) int64 {
	if r.TokensLost == nil {
		return -1
	}
	return *r.TokensLost
}

// optionalTokens and optionalCount say a number that may not be known.
func optionalTokens(n *int64) string {
	if n == nil {
		return "-"
	}
	return Tokens(*n)
}

func optionalCount(n *int64) string {
	if n == nil {
		return "-"
	}
	return Count(*n)
}

// FineUSD says what a single break cost, with four digits where it is little.
func FineUSD(v *float64) string {
	switch {
	case v == nil:
		return "unknown"
	case *v >= 0.01 && *v < 10:
		return fmt.Sprintf("$%.4f", *v)
	}
	return USD(*v)
}
