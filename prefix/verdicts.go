package prefix

import (
	"context"
	_ "embed" // for the queries
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
)

var (
	//go:embed verdicts_totals.sql
	verdictTotalsSQL string
	//go:embed verdicts_count.sql
	verdictCountSQL string
	//go:embed verdicts_dearest.sql
	verdictDearestSQL string
	//go:embed verdicts_requests.sql
	verdictRequestsSQL string
	//go:embed verdicts_others.sql
	verdictOthersSQL string
	//go:embed verdicts_breaks.sql
	verdictBreaksSQL string
	//go:embed verdicts_flux.sql
	verdictFluxSQL string
	//go:embed verdicts_risks.sql
	verdictRisksSQL string
	//go:embed verdicts_names.sql
	verdictNamesSQL string
)

// maxShownBreaks bounds the breaks that are read of one conversation: those that lost most are kept. What it lost is added up over all.
const maxShownBreaks = 1000

// verdictTotal is what the requests of a window with one agent, verdict and day (in UTC, such as 2026-03-01) come to: a row of
// verdicts_totals.sql.
type verdictTotal struct {
	Agent    string `ch:"agent"`
	Verdict  string `ch:"said"`
	Day      string `ch:"day"`
	Requests uint64 `ch:"requests"`
	Tokens   uint64 `ch:"tokens"`
	// USD is what was lost, Cost what the requests cost, Stated what their sources say they cost; nil where nothing of it is known.
	USD    *float64 `ch:"usd"`
	Cost   *float64 `ch:"cost"`
	Stated *float64 `ch:"stated"`
	// NoCost and NoLoss count requests of which Cost and USD are not known.
	NoCost    uint64    `ch:"no_cost"`
	NoLoss    uint64    `ch:"no_loss"`
	Backwards uint64    `ch:"backwards"`
	First     time.Time `ch:"first"`
	Last      time.Time `ch:"last"`
}

// readVerdicts fills a report from the verdicts that are stored.
func (a *analysis) readVerdicts(ctx context.Context, q Querier) error {
	if err := a.readVerdictTotals(ctx, q); err != nil {
		return err
	}
	found := &foundConversations{at: map[uint64]*Conversation{}}
	for _, step := range []func(context.Context, Querier, *foundConversations) error{
		a.readDearest, a.readOthers, a.countRequests, a.nameConversations, a.readBreaks, a.readFlux, a.readRisks, a.countConversations,
	} {
		if err := step(ctx, q, found); err != nil {
			return err
		}
	}
	for _, c := range found.list {
		a.tell(c)
	}
	for _, c := range found.list[:min(len(found.list), a.settings.MaxConversations)] {
		a.report.Conversations = append(a.report.Conversations, *c)
	}
	return nil
}

// foundConversations are the conversations of which more is to be read.
type foundConversations struct {
	list   []*Conversation
	hashes []uint64
	at     map[uint64]*Conversation
}

// get returns the conversation with a hash, and adds it where it is not there.
func (f *foundConversations) get(hash uint64) *Conversation {
	c := f.at[hash]
	if c == nil {
		c = &Conversation{Breaks: []Break{}}
		f.list, f.hashes, f.at[hash] = append(f.list, c), append(f.hashes, hash), c
	}
	return c
}

// readVerdictTotals adds up all requests.
func (a *analysis) readVerdictTotals(ctx context.Context, q Querier) error {
	var row verdictTotal
	err := q.Each(ctx, verdictTotalsSQL, a.window.Args(), &row, func() error {
		a.report.addTotal(&row)
		a.totals = append(a.totals, row)
		return nil
	})
	if err != nil {
		return fmt.Errorf("add up verdicts: %w", err)
	}
	return nil
}

// readDearest finds the conversations that lost most, and those of the worst findings.
func (a *analysis) readDearest(ctx context.Context, q Querier, found *foundConversations) error {
	var row struct {
		Hash   uint64   `ch:"hash"`
		Tokens uint64   `ch:"tokens"`
		USD    *float64 `ch:"usd"`
		NoLoss uint64   `ch:"no_loss"`
	}
	args := append(a.window.Args(), a.settings.WarnTokens, a.settings.CriticalTokens, breakVerdicts(), a.settings.MaxConversations, a.settings.MaxFindings)
	err := q.Each(ctx, verdictDearestSQL, args, &row, func() error {
		c := found.get(row.Hash)
		c.TokensLost, c.LostUSD, c.UnpricedBreaks = whole(row.Tokens), row.USD, int64(row.NoLoss)
		return nil
	})
	if err != nil {
		return fmt.Errorf("find the dearest conversations: %w", err)
	}
	return nil
}

// readOthers fills up what the report lists with conversations that lost nothing.
func (a *analysis) readOthers(ctx context.Context, q Querier, found *foundConversations) error {
	left := a.settings.MaxConversations - len(found.list)
	if left <= 0 {
		return nil
	}
	var row struct {
		Hash uint64 `ch:"hash"`
	}
	err := q.Each(ctx, verdictOthersSQL, append(a.window.Args(), slices.Clone(found.hashes), left), &row, func() error {
		found.get(row.Hash)
		return nil
	})
	if err != nil {
		return fmt.Errorf("find conversations without breaks: %w", err)
	}
	return nil
}

// countRequests counts the requests of conversations.
func (a *analysis) countRequests(ctx context.Context, q Querier, found *foundConversations) error {
	var row struct {
		Hash     uint64 `ch:"hash"`
		Requests uint64 `ch:"requests"`
	}
	err := q.Each(ctx, verdictRequestsSQL, append(a.window.Args(), found.hashes), &row, func() error {
		found.at[row.Hash].Requests = int64(row.Requests)
		return nil
	})
	if err != nil {
		return fmt.Errorf("count requests of conversations: %w", err)
	}
	return nil
}

// addTotal adds requests of one verdict.
func (r *Report) addTotal(x *verdictTotal) {
	v := Verdict(x.Verdict)
	t := r.Verdicts[v]
	if t == nil {
		t = &Total{}
		r.Verdicts[v] = t
	}
	t.Count += int64(x.Requests)
	r.Requests += int64(x.Requests)
	r.ClockBackwards += int64(x.Backwards)
	addKnown(&r.CostUSD, x.Cost)
	addKnown(&r.StatedCostUSD, x.Stated)
	if v != NoUsage {
		r.Unpriced += int64(x.NoCost)
	}
	if !v.Break() {
		addUSD(&t.CostUSD, events.USD(0))
		return
	}
	r.TokensLost = AddTokens(r.TokensLost, whole(x.Tokens))
	t.TokensLost = AddTokens(t.TokensLost, whole(x.Tokens))
	addKnown(&r.LostUSD, x.USD)
	addKnown(&t.CostUSD, x.USD)
	t.Unpriced += int64(x.NoLoss)
	r.UnpricedBreaks += int64(x.NoLoss)
}

func addKnown(sum **float64, usd *float64) {
	if usd != nil {
		addUSD(sum, events.USD(*usd))
	}
}

// nameConversations reads what conversations are called and whose they are: of one that two agents share, the one of the first request that
// there is more to tell of. Those with breaks are found among few rows.
func (a *analysis) nameConversations(ctx context.Context, q Querier, found *foundConversations) error {
	left := found.hashes
	for _, table := range []string{"notable_verdicts", "request_verdicts"} {
		if len(left) == 0 {
			break
		}
		named := map[uint64]bool{}
		var row struct {
			Hash         uint64 `ch:"hash"`
			Conversation string `ch:"conversation"`
			Agent        string `ch:"agent"`
		}
		err := q.Each(ctx, strings.Replace(verdictNamesSQL, "{table}", table, 1), append(a.window.Args(), left), &row, func() error {
			c := found.at[row.Hash]
			c.ID, c.Agent = row.Conversation, row.Agent
			named[row.Hash] = true
			return nil
		})
		if err != nil {
			return fmt.Errorf("read names of conversations: %w", err)
		}
		left = slices.DeleteFunc(slices.Clone(left), func(h uint64) bool { return named[h] })
	}
	return nil
}

// countConversations says how many conversations the report leaves out; and sorts those that it has.
func (a *analysis) countConversations(ctx context.Context, q Querier, found *foundConversations) error {
	slices.SortStableFunc(found.list, func(x, y *Conversation) int { return dearer(*x, *y) })
	var row struct {
		N uint64 `ch:"n"`
	}
	if err := q.Each(ctx, verdictCountSQL, a.window.Args(), &row, func() error { return nil }); err != nil {
		return fmt.Errorf("count conversations: %w", err)
	}
	a.report.Omitted = max(int64(row.N)-int64(a.settings.MaxConversations), 0)
	return nil
}

// readRisks counts what changed without a break.
func (a *analysis) readRisks(ctx context.Context, q Querier, _ *foundConversations) error {
	var row struct {
		Changed  string `ch:"changed"`
		Requests uint64 `ch:"requests"`
	}
	err := q.Each(ctx, verdictRisksSQL, append(a.window.Args(), breakVerdicts()), &row, func() error {
		a.report.Risks[Verdict(row.Changed)] = int64(row.Requests)
		return nil
	})
	if err != nil {
		return fmt.Errorf("count changes without a break: %w", err)
	}
	return nil
}

// analyzeStored fills a report from what is stored.
func analyzeStored(ctx context.Context, q Querier, w finding.Window, s Settings) (Report, []finding.Finding, error) {
	a := newAnalysis(w, s)
	if err := a.readVerdicts(ctx, q); err != nil {
		return Report{}, nil, err
	}
	if err := a.watchRosters(ctx, q); err != nil {
		return Report{}, nil, err
	}
	a.report.settleFluxRisks()
	return a.report, a.facts.findings(), nil
}
