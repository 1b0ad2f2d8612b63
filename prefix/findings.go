package prefix

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
)

// detector is the name of this vertical in findings.
const detector = "prefix"

// facts collects findings and keeps the worst.
type facts struct {
	settings Settings
	window   finding.Window
	all      []fact
}

// fact is a finding with what it is ordered by.
type fact struct {
	finding.Finding
	tokens int64
	usd    float64
}

// add says what is to be said of one conversation: a finding a verdict, and one for each part that keeps changing.
func (f *facts) add(c *Conversation) {
	for _, v := range Verdicts() {
		if group := costly(breaksOf(c, v)); len(group) > 0 {
			f.keep(f.breaks(c, v, group))
		}
	}
	for _, group := range fluxGroups(c) {
		f.keep(f.flux(c, group))
	}
}

// costly leaves out breaks that are known to have lost nothing, such as a hand-over to a model that never had anything to lose.
func costly(group []Break) []Break {
	return slices.DeleteFunc(group, func(b Break) bool { return b.TokensLost != nil && *b.TokensLost == 0 })
}

func breaksOf(c *Conversation, v Verdict) []Break {
	var group []Break
	for _, b := range c.Breaks {
		if b.Verdict == v {
			group = append(group, b)
		}
	}
	return group
}

func fluxOf(c *Conversation, kind Rhythm, part string) []Flux {
	var group []Flux
	for _, x := range c.Flux {
		if x.Kind == kind && x.Part == part {
			group = append(group, x)
		}
	}
	return group
}

// breaks makes one finding of all breaks of one verdict in a conversation.
func (f *facts) breaks(c *Conversation, v Verdict, group []Break) fact {
	sum := sumOf(group)
	numbers := map[string]float64{"breaks": float64(len(group)), "tokens_lost": float64(sum.tokens), "requests": float64(c.Requests)}
	if sum.usd != nil {
		numbers["cost_usd"] = *sum.usd
	}
	if sum.unknown > 0 {
		numbers["breaks_of_unknown_cost"] = float64(sum.unknown)
	}
	if sum.unpriced > 0 {
		numbers["breaks_without_price"] = float64(sum.unpriced)
	}
	return fact{f.sign(c, finding.Finding{
		Rule: string(v), Severity: f.severity(sum.tokens), Numbers: numbers, Title: breakTitle(v, group, sum), Action: action(v, group),
	}), sum.tokens, deref(sum.usd)}
}

// lostSum is what several breaks come to.
type lostSum struct {
	tokens int64
	usd    *float64
	// unknown counts the breaks whose tokens are not known, unpriced those of the others whose cost is not.
	unknown, unpriced int64
}

func sumOf(group []Break) lostSum {
	var s lostSum
	for _, b := range group {
		switch {
		case b.TokensLost == nil:
			s.unknown++
			continue
		case b.CostUSD == nil:
			s.unpriced++
		default:
			addUSD(&s.usd, events.USD(*b.CostUSD))
		}
		s.tokens = AddTokens(s.tokens, *b.TokensLost)
	}
	return s
}

// sign fills what all findings of a conversation share.
func (f *facts) sign(c *Conversation, x finding.Finding) finding.Finding {
	x.Detector, x.Window = detector, f.window
	x.Subject.Agent, x.Subject.Conversation = c.Agent, c.ID
	x.Sign()
	return x
}

// severity goes by tokens lost and by nothing else: one large break among many hits is as dear as it is.
func (f *facts) severity(tokens int64) finding.Severity {
	switch {
	case tokens >= f.settings.CriticalTokens:
		return finding.Critical
	case tokens >= f.settings.WarnTokens:
		return finding.Warning
	}
	return finding.Info
}

// flux makes one finding of the parts that keep changing in one way. It is a warning where as many tokens could have been read as would make
// one of a break; what breaks lost for it has findings of its own.
func (f *facts) flux(c *Conversation, group []Flux) fact {
	x := group[0]
	rule := string(x.Kind) + "_" + x.Part
	numbers := map[string]float64{"parts": float64(len(group)), "requests": float64(x.Requests)}
	for _, g := range group {
		numbers["changes"] += float64(g.Changes)
	}
	most, severity := mostRead(group), finding.Info
	if most.CouldRead > 0 {
		numbers["could_read_tokens"] = float64(most.CouldRead)
		if most.CouldReadUSD != nil {
			numbers["could_read_usd"] = *most.CouldReadUSD
		}
		if most.CouldRead >= f.settings.WarnTokens {
			severity = finding.Warning
		}
	}
	what, todo := fluxWords(group)
	return fact{Finding: f.sign(c, finding.Finding{
		Rule: rule, Severity: severity, Subject: finding.Subject{Tool: fluxTool(group)}, Numbers: numbers, Title: what + couldReadWords(most), Action: todo,
	}), tokens: most.CouldRead}
}

// fluxTool names the tool where it is one.
func fluxTool(group []Flux) string {
	if group[0].Part == partNames[partTools] && len(group) == 1 {
		return group[0].Name
	}
	return ""
}

// keep adds a fact and, now and then, drops the least beyond the limit.
func (f *facts) keep(x fact) {
	f.all = append(f.all, x)
	if len(f.all) >= 2*f.settings.MaxFindings {
		f.settle()
	}
}

func (f *facts) settle() {
	slices.SortStableFunc(f.all, func(a, b fact) int {
		return cmp.Or(
			-cmp.Compare(a.Severity.Rank(), b.Severity.Rank()),
			-cmp.Compare(a.usd, b.usd),
			-cmp.Compare(a.tokens, b.tokens),
			cmp.Compare(a.Fingerprint, b.Fingerprint),
		)
	})
	if n := f.settings.MaxFindings; len(f.all) > n {
		clear(f.all[n:])
		f.all = f.all[:n]
	}
}

// findings returns what was kept, the worst first.
func (f *facts) findings() []finding.Finding {
	f.settle()
	out := make([]finding.Finding, len(f.all))
	for i := range f.all {
		out[i] = f.all[i].Finding
	}
	return out
}

// plural writes a count with its noun.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
