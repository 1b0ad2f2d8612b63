package prefix

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"slices"
	"time"
)

//go:embed report_diagnoses.sql
var diagnosesSQL string

//go:embed report_disagreements.sql
var disagreementsSQL string

// Spent is what the requests of an agent or a day came to. Dollars are nil where none are known.
type Spent struct {
	Requests int64 `json:"requests"`
	Breaks   int64 `json:"breaks"`
	// TokensLost and LostUSD add up the breaks, CostUSD the requests; UnpricedBreaks counts the breaks whose cost is not known.
	TokensLost     int64    `json:"tokens_lost"`
	LostUSD        *float64 `json:"lost_cost_usd"`
	UnpricedBreaks int64    `json:"unpriced_breaks,omitzero"`
	CostUSD        *float64 `json:"cost_usd"`
}

// AgentSpent is what one agent's requests came to.
type AgentSpent struct {
	Agent string `json:"agent"`
	Spent
}

// DaySpent is what one day's requests came to.
type DaySpent struct {
	// Day is in UTC, such as 2026-03-01.
	Day string `json:"day"`
	Spent
}

// Diagnoses counts how the providers' own diagnoses stand beside the verdicts.
type Diagnoses struct {
	Agrees    int64 `json:"agrees"`
	Disagrees int64 `json:"disagrees"`
	Unclear   int64 `json:"unclear"`
	// Disagreements are some of those that disagree, up to [MaxDisagreements], those that lost most first.
	Disagreements []Disagreement `json:"disagreements"`
}

// Disagreement is a request at which the provider names another reason than the verdict.
type Disagreement struct {
	Conversation string `json:"conversation"`
	// Request counts the model's answers in the conversation from 1; ID is the id of the request's event.
	Request int64   `json:"request"`
	ID      string  `json:"id"`
	Ours    Verdict `json:"verdict"`
	// Theirs is the verdict that the provider's words stand for, Words are the words.
	Theirs     Verdict `json:"provider_verdict"`
	Words      string  `json:"provider_diagnosis"`
	TokensLost *int64  `json:"tokens_lost"`
}

const (
	// MaxAgents bounds the agents of a report: those that lost most are kept.
	MaxAgents = 1000
	// MaxDisagreements bounds the disagreements of a report.
	MaxDisagreements = 100
)

// addMoney adds to the report what agents and days came to, what would be saved, and what the providers say. All of it is known of verdicts
// that are stored alone.
func (a *analysis) addMoney(ctx context.Context, q Querier) error {
	if len(a.totals) == 0 {
		return nil
	}
	first, last := a.report.addSpent(a.totals)
	if !a.window.From.IsZero() {
		first = a.window.From
	}
	if !a.window.To.IsZero() {
		last = a.window.To
	}
	args := a.window.Args()
	if err := readSavings(ctx, q, args, daysBetween(first, last), &a.report); err != nil {
		return err
	}
	return readDiagnoses(ctx, q, args, &a.report)
}

// addSpent adds agents and days, and returns when the first and the last request were.
func (r *Report) addSpent(totals []verdictTotal) (first, last time.Time) {
	agents, days := map[string]*AgentSpent{}, map[string]*DaySpent{}
	for i := range totals {
		x := &totals[i]
		s := Spent{Requests: int64(x.Requests), CostUSD: x.Cost}
		if Verdict(x.Verdict).Break() {
			s.Breaks, s.TokensLost, s.LostUSD = s.Requests, whole(x.Tokens), x.USD
			s.UnpricedBreaks = int64(x.NoLoss)
		}
		if agents[x.Agent] == nil {
			agents[x.Agent] = &AgentSpent{Agent: x.Agent}
		}
		if days[x.Day] == nil {
			days[x.Day] = &DaySpent{Day: x.Day}
		}
		agents[x.Agent].add(&s)
		days[x.Day].add(&s)
		if i == 0 || x.First.Before(first) {
			first = x.First
		}
		if x.Last.After(last) {
			last = x.Last
		}
	}
	for _, a := range agents {
		r.Agents = append(r.Agents, *a)
	}
	for _, d := range days {
		r.Days = append(r.Days, *d)
	}
	slices.SortFunc(r.Agents, func(a, b AgentSpent) int {
		return cmp.Or(-cmp.Compare(deref(a.LostUSD), deref(b.LostUSD)), -cmp.Compare(a.TokensLost, b.TokensLost), cmp.Compare(a.Agent, b.Agent))
	})
	slices.SortFunc(r.Days, func(a, b DaySpent) int { return cmp.Compare(a.Day, b.Day) })
	if n := len(r.Agents) - MaxAgents; n > 0 {
		r.Agents, r.AgentsOmitted = r.Agents[:MaxAgents], int64(n)
	}
	return first, last
}

// add adds another sum.
func (s *Spent) add(o *Spent) {
	s.Requests += o.Requests
	s.Breaks += o.Breaks
	s.TokensLost = AddTokens(s.TokensLost, o.TokensLost)
	s.UnpricedBreaks += o.UnpricedBreaks
	addKnown(&s.LostUSD, o.LostUSD)
	addKnown(&s.CostUSD, o.CostUSD)
}

// readDiagnoses adds how the providers' own diagnoses stand beside the verdicts.
func readDiagnoses(ctx context.Context, q Querier, args []any, r *Report) error {
	var sum struct {
		Stands   string `ch:"stands"`
		Requests uint64 `ch:"requests"`
	}
	counts := map[Agreement]*int64{Agrees: &r.Diagnoses.Agrees, Disagrees: &r.Diagnoses.Disagrees, Unclear: &r.Diagnoses.Unclear}
	err := q.Each(ctx, diagnosesSQL, args, &sum, func() error {
		if n := counts[Agreement(sum.Stands)]; n != nil {
			*n = int64(sum.Requests)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("count the providers' diagnoses: %w", err)
	}
	if r.Diagnoses.Disagrees == 0 {
		return nil
	}
	var row struct {
		Conversation string  `ch:"conversation"`
		Event        string  `ch:"event"`
		Number       int64   `ch:"number"`
		Ours         string  `ch:"ours"`
		Theirs       string  `ch:"theirs"`
		Words        string  `ch:"words"`
		Tokens       *uint64 `ch:"tokens"`
	}
	err = q.Each(ctx, disagreementsSQL, append(slices.Clone(args), MaxDisagreements), &row, func() error {
		d := Disagreement{
			Conversation: row.Conversation, Request: row.Number, ID: row.Event, Ours: Verdict(row.Ours), Theirs: Verdict(row.Theirs), Words: row.Words,
			TokensLost: signed(row.Tokens),
		}
		r.Diagnoses.Disagreements = append(r.Diagnoses.Disagreements, d)
		return nil
	})
	if err != nil {
		return fmt.Errorf("list what providers say otherwise: %w", err)
	}
	return nil
}

// signed turns a column that may be NULL into a count.
func signed(n *uint64) *int64 {
	if n == nil {
		return nil
	}
	v := int64(*n)
	return &v
}
