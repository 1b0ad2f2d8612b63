package prefix

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"time"
)

//go:embed savings.sql
var savingsSQL string

// Saving is what one change of an agent would save: the breaks of one agent that have verdict, cause and part in common. Every break that is
// known to have lost something, or whose loss is not known, is part of one saving.
type Saving struct {
	Agent   string    `json:"agent,omitzero"`
	Verdict Verdict   `json:"verdict"`
	Cause   CauseKind `json:"cause,omitzero"`
	// Kind is how tools changed, the first that holds of [ToolChangeKind]; Rhythm how the system block keeps changing.
	Kind   ToolChangeKind `json:"tool_change,omitzero"`
	Rhythm Rhythm         `json:"system_rhythm,omitzero"`
	// Names are what it is about, up to [MaxSavingNames]: tools, servers, parameters, a provider; SystemBlock is the block, from 0.
	Names       []string `json:"names"`
	SystemBlock *int     `json:"system_block,omitzero"`
	// Unseen are the parts (tools, system, messages) that were not recorded at some of the breaks; of what nothing explains.
	Unseen []string `json:"unseen,omitzero"`
	// Breaks counts the requests that broke the cache, Conversations those in which they are.
	Breaks        int64 `json:"breaks"`
	Conversations int64 `json:"conversations"`
	// TokensLost and CostUSD add up what is known of the breaks; Unpriced counts those whose cost is not known.
	TokensLost int64    `json:"tokens_lost"`
	CostUSD    *float64 `json:"cost_usd"`
	Unpriced   int64    `json:"unpriced,omitzero"`
	// USDPerDay is CostUSD by days of the window, or of the time from the first request to the last where the window is open; never over
	// less than a day.
	USDPerDay *float64 `json:"usd_per_day"`
	// Conversation and Request are where the dearest break is.
	Conversation string `json:"conversation"`
	Request      int64  `json:"request"`
	// Fix says in a sentence or two what to do.
	Fix string `json:"fix"`
}

const (
	// MaxSavings bounds the savings of a report: the largest are kept.
	MaxSavings = 200
	// MaxSavingNames bounds the names of a saving.
	MaxSavingNames = 20
)

// savingRow is a row of savings.sql.
type savingRow struct {
	Agent         string   `ch:"agent"`
	Verdict       string   `ch:"reason"`
	Cause         string   `ch:"why"`
	Kind          string   `ch:"kind"`
	Rhythm        string   `ch:"rhythm"`
	Block         int64    `ch:"block"`
	Names         []string `ch:"names"`
	Unseen        []string `ch:"hidden"`
	Breaks        uint64   `ch:"breaks"`
	Conversations uint64   `ch:"conversations"`
	Tokens        uint64   `ch:"tokens"`
	USD           *float64 `ch:"usd"`
	Unpriced      uint64   `ch:"unpriced"`
	Conversation  string   `ch:"dearest_conversation"`
	Request       int64    `ch:"dearest_request"`
}

// readSavings adds what would be saved to a report, worst first. Days are those that the breaks are spread over.
func readSavings(ctx context.Context, q Querier, args []any, days float64, r *Report) error {
	var row savingRow
	err := q.Each(ctx, savingsSQL, append(slices.Clone(args), breakVerdicts()), &row, func() error {
		if len(r.Savings) == MaxSavings {
			r.SavingsOmitted++
			return nil
		}
		r.Savings = append(r.Savings, row.saving(days))
		return nil
	})
	if err != nil {
		return fmt.Errorf("add up what breaks cost by what would be fixed: %w", err)
	}
	return nil
}

// breakVerdicts are the verdicts that are breaks, as a query takes them.
func breakVerdicts() []string {
	var all []string
	for _, v := range Verdicts() {
		if v.Break() {
			all = append(all, string(v))
		}
	}
	return all
}

func (r *savingRow) saving(days float64) Saving {
	s := Saving{
		Agent: r.Agent, Verdict: Verdict(r.Verdict), Cause: CauseKind(r.Cause), Kind: ToolChangeKind(r.Kind), Rhythm: Rhythm(r.Rhythm),
		Names: slices.Clone(r.Names), Breaks: int64(r.Breaks), Conversations: int64(r.Conversations), TokensLost: whole(r.Tokens),
		CostUSD: r.USD, Unpriced: int64(r.Unpriced), Conversation: r.Conversation, Request: r.Request,
	}
	if s.Names == nil {
		s.Names = []string{}
	}
	if r.USD != nil {
		perDay := *r.USD / days
		s.USDPerDay = &perDay
	}
	if s.Verdict == Unattributed {
		s.Unseen = unseenOf([]Break{{Unseen: r.Unseen}})
	}
	c := breakCause{verdict: s.Verdict, cause: s.Cause, kind: s.Kind, rhythm: s.Rhythm, names: s.Names, unseen: s.Unseen}
	if block := int(r.Block); block >= 0 {
		s.SystemBlock, c.names = &block, []string{fmt.Sprint(block)}
	}
	s.Fix = c.fix()
	return s
}

// daysBetween is how many days lie between two times, at least one.
func daysBetween(from, to time.Time) float64 {
	return max(to.Sub(from).Hours()/24, 1)
}
