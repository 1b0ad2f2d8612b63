package activation

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/tooltrail/tooltrail/finding"
)

// Querier reads stored events: it runs query with positional arguments, fills row (a pointer to a struct with ch tags) for each
// result and calls fn.
type Querier interface {
	Each(ctx context.Context, query string, args []any, row any, fn func() error) error
}

var (
	//go:embed counts.sql
	countsSQL string
	//go:embed rules.sql
	rulesText string
	//go:embed made_up.sql
	madeUpSQL string
	//go:embed loops.sql
	loopsSQL string
	//go:embed loads.sql
	loadsSQL string
	//go:embed refusals.sql
	refusalsSQL string
	//go:embed roster_flags.sql
	rosterFlagsSQL string
	//go:embed called_name.sql
	calledName string

	rulesSQL = WithCalledName(rulesText)
)

// WithCalledName puts into a query of calls, for {called}, what counts as the name that was called: of a call inside a bridge what the bridge was asked for, which is
// its resolved_name where no bridged_name says otherwise. What was asked for in a guess is never the tool that was meant: one without
// a bridged_name came from a sender that does not give it, and only the bridge's name is known.
func WithCalledName(query string) string {
	return strings.ReplaceAll(query, "{called}", strings.TrimSpace(calledName))
}

// Analyze reads the calls, activations and rosters of a window of event time and says what went wrong with names, what it cost by price,
// and whether loading on demand pays. An open bound of the window is the zero time; without a price nothing is said in dollars.
func Analyze(ctx context.Context, q Querier, w finding.Window, s Settings, price PriceFunc) (Report, []finding.Finding, error) {
	a := analysis{q: q, window: w, settings: s.orDefault(), price: price, report: newReport(), guesses: map[string]guessed{}, callers: map[caller]map[string]bool{}}
	for _, step := range []struct {
		name string
		run  func(context.Context) error
	}{
		{"count calls", a.counts},
		{"say who broke rules of calls", a.ruleParts},
		{"count names", a.rules},
		{"look for removed tools", a.removed},
		{"list made-up ids", a.madeUp},
		{"find loops", a.loops},
		{"count loads", a.loads},
		{"say who broke rules of activations", a.activationParts},
		{"count refusals", a.refusals},
		{"check rosters", a.rosters},
		{"check permissions", a.denied},
		{"compare with loading everything", a.pays},
	} {
		if err := step.run(ctx); err != nil {
			return Report{}, nil, fmt.Errorf("%s: %w", step.name, err)
		}
	}
	a.advise()
	return a.report, a.found, nil
}

// analysis is one run of Analyze.
type analysis struct {
	q        Querier
	window   finding.Window
	settings Settings
	price    PriceFunc
	report   Report
	found    []finding.Finding
	// guesses are the calls with wrong names, by agent.
	guesses map[string]guessed
	// callers are the agents of each rule and tool, where calls are known one by one.
	callers map[caller]map[string]bool
}

// caller is what a finding on calls is about.
type caller struct{ rule, server, tool string }

func (a *analysis) calledBy(rule, server, tool string, agents ...string) {
	of := caller{rule, server, tool}
	if a.callers[of] == nil {
		a.callers[of] = map[string]bool{}
	}
	for _, agent := range agents {
		a.callers[of][agent] = true
	}
}

func (a *analysis) counts(ctx context.Context) error {
	var row struct {
		Calls  uint64 `ch:"calls"`
		Judged uint64 `ch:"judged"`
		MadeUp uint64 `ch:"made_up"`
	}
	return a.q.Each(ctx, countsSQL, a.window.Args(), &row, func() error {
		a.report.Calls, a.report.Judged = row.Calls, row.Judged
		a.report.Rules[RuleMadeUpID].Count = row.MadeUp
		return nil
	})
}

func (a *analysis) rules(ctx context.Context) error {
	var row struct {
		Rule          string   `ch:"rule"`
		How           string   `ch:"how"`
		Server        string   `ch:"server_name"`
		Called        string   `ch:"called"`
		Meant         string   `ch:"meant"`
		Calls         uint64   `ch:"calls"`
		Tokens        uint64   `ch:"tokens"`
		Conversations uint64   `ch:"conversations"`
		Models        []string `ch:"models"`
		Agents        []string `ch:"agents"`
		RuleCalls     uint64   `ch:"rule_calls"`
		RuleTokens    uint64   `ch:"rule_tokens"`
	}
	return a.q.Each(ctx, rulesSQL, a.window.Args(a.settings.NamesListed), &row, func() error {
		r := a.report.rule(row.Rule)
		r.Count, r.Tokens = row.RuleCalls, row.RuleTokens
		n := Name{
			Server: row.Server, Called: row.Called, Meant: row.Meant, How: row.How, Count: row.Calls, Tokens: row.Tokens,
			Conversations: row.Conversations, Models: row.Models,
		}
		r.Names = append(r.Names, n)
		a.calledBy(row.Rule, row.Server, row.Called, row.Agents...)
		a.nameFinding(row.Rule, r, &n)
		return nil
	})
}

func (a *analysis) madeUp(ctx context.Context) error {
	var row struct {
		Server       string `ch:"server_name"`
		Tool         string `ch:"tool"`
		Agent        string `ch:"agent"`
		Model        string `ch:"model"`
		Conversation string `ch:"conversation"`
		Path         string `ch:"place"`
		Digest       string `ch:"digest"`
		Value        string `ch:"value"`
	}
	err := a.q.Each(ctx, madeUpSQL, a.window.Args(a.settings.MadeUpListed), &row, func() error {
		a.calledBy(RuleMadeUpID, row.Server, row.Tool, row.Agent)
		a.report.MadeUpIDs = append(a.report.MadeUpIDs, MadeUp{
			Server: row.Server, Tool: row.Tool, Model: row.Model, Conversation: row.Conversation, Path: row.Path, Digest: row.Digest, Value: row.Value,
		})
		return nil
	})
	a.madeUpFindings()
	return err
}

func (a *analysis) refusals(ctx context.Context) error {
	var row struct {
		Reason        string `ch:"reason"`
		Name          string `ch:"name"`
		Times         uint64 `ch:"times"`
		Conversations uint64 `ch:"conversations"`
		AllTimes      uint64 `ch:"all_times"`
	}
	return a.q.Each(ctx, refusalsSQL, a.window.Args(a.settings.NamesListed), &row, func() error {
		r := a.report.Rules[RuleRefused]
		r.Count = row.AllTimes
		n := Name{Called: row.Name, How: row.Reason, Count: row.Times, Conversations: row.Conversations}
		r.Names = append(r.Names, n)
		a.refusalFinding(&n)
		return nil
	})
}

func (a *analysis) rosters(ctx context.Context) error {
	var row struct {
		Rule    string   `ch:"rule"`
		Server  string   `ch:"server_name"`
		Names   []string `ch:"names"`
		Longest int64    `ch:"longest"`
		Rosters uint64   `ch:"rosters"`
	}
	err := a.q.Each(ctx, rosterFlagsSQL, a.window.Args(), &row, func() error {
		r := a.report.rule(row.Rule)
		r.Count++
		if len(r.Names) < a.settings.NamesListed {
			r.Names = append(r.Names, Name{Server: row.Server, Called: joinNames(row.Names), Count: row.Rosters})
		}
		return nil
	})
	a.rosterFindings()
	return err
}
