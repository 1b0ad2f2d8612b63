package prefix

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"slices"
	"time"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
)

//go:embed report_totals.sql
var totalsSQL string

//go:embed report_diagnoses.sql
var diagnosesSQL string

//go:embed report_disagreements.sql
var disagreementsSQL string

// Spent is what the requests of an agent or a day came to. Dollars are nil where none are known.
type Spent struct {
	Requests int64 `json:"requests"`
	Breaks   int64 `json:"breaks"`
	// TokensLost and LostUSD add up the breaks, CostUSD the requests.
	TokensLost int64    `json:"tokens_lost"`
	LostUSD    *float64 `json:"lost_cost_usd"`
	CostUSD    *float64 `json:"cost_usd"`
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

// readMoney adds to a report what agents and days came to, what would be saved, and what the providers say. All is read from the verdicts that
// are stored.
func readMoney(ctx context.Context, q Querier, w finding.Window, r *Report) error {
	args := w.Args()
	from, to, err := readTotals(ctx, q, args, r)
	if err != nil {
		return err
	}
	if !w.From.IsZero() {
		from = w.From
	}
	if !w.To.IsZero() {
		to = w.To
	}
	if err := readSavings(ctx, q, args, daysBetween(from, to), r); err != nil {
		return err
	}
	return readDiagnoses(ctx, q, args, r)
}

// readTotals adds agents and days, and returns when the first and the last request were.
func readTotals(ctx context.Context, q Querier, args []any, r *Report) (first, last time.Time, err error) {
	var row struct {
		Agent    string    `ch:"agent"`
		Day      string    `ch:"day"`
		Requests uint64    `ch:"requests"`
		Breaks   uint64    `ch:"breaks"`
		Tokens   *uint64   `ch:"tokens"`
		USD      *float64  `ch:"usd"`
		Cost     *float64  `ch:"cost"`
		First    time.Time `ch:"first"`
		Last     time.Time `ch:"last"`
	}
	agents, place := []AgentSpent{}, map[string]int{}
	err = q.Each(ctx, totalsSQL, append(slices.Clone(args), breakVerdicts()), &row, func() error {
		s := Spent{Requests: int64(row.Requests), Breaks: int64(row.Breaks), LostUSD: row.USD, CostUSD: row.Cost}
		if row.Tokens != nil {
			s.TokensLost = int64(*row.Tokens)
		}
		if n := len(r.Days); n == 0 || r.Days[n-1].Day != row.Day {
			r.Days = append(r.Days, DaySpent{Day: row.Day})
		}
		r.Days[len(r.Days)-1].add(&s)
		at, ok := place[row.Agent]
		if !ok {
			at = len(agents)
			place[row.Agent] = at
			agents = append(agents, AgentSpent{Agent: row.Agent})
		}
		agents[at].add(&s)
		if first.IsZero() || row.First.Before(first) {
			first = row.First
		}
		if row.Last.After(last) {
			last = row.Last
		}
		return nil
	})
	if err != nil {
		return first, last, fmt.Errorf("add up agents and days: %w", err)
	}
	slices.SortFunc(agents, func(a, b AgentSpent) int {
		return cmp.Or(-cmp.Compare(deref(a.LostUSD), deref(b.LostUSD)), -cmp.Compare(a.TokensLost, b.TokensLost), cmp.Compare(a.Agent, b.Agent))
	})
	r.Agents, r.AgentsOmitted = agents[:min(len(agents), MaxAgents)], int64(max(len(agents)-MaxAgents, 0))
	return first, last, nil
}

// add adds another sum.
func (s *Spent) add(o *Spent) {
	s.Requests += o.Requests
	s.Breaks += o.Breaks
	s.TokensLost += o.TokensLost
	for _, p := range []struct {
		sum  **float64
		more *float64
	}{{&s.LostUSD, o.LostUSD}, {&s.CostUSD, o.CostUSD}} {
		if p.more != nil {
			addUSD(p.sum, events.USD(*p.more))
		}
	}
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
