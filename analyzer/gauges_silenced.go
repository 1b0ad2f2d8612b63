package analyzer

import (
	"context"
	_ "embed" // for the queries
	"slices"
	"time"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/finding"
)

// setAlerts shows what alerts are on that would be too much, were findings counted that are muted or resolved. It is for after the states of the
// report's findings are known.
func (a *Analyzer) setAlerts(ctx context.Context, r *Report, failed map[string]bool) {
	quiet := silencedOf(r.Findings)
	if !failed[driftDetector] {
		a.setReleases(r.Findings)
	}
	if !failed[prefixDetector] {
		a.setCacheAlerts(&r.Prefix, quiet)
	}
	if !failed[activationDetector] {
		a.setNameAlerts(ctx, &r.Activation, quiet)
	}
}

// silenced are the findings of a run that nobody wants to be told of.
type silenced []*finding.Finding

func silencedOf(fs []finding.Finding) silenced {
	var quiet silenced
	for i := range fs {
		if !fs[i].State.Alerts() {
			quiet = append(quiet, &fs[i])
		}
	}
	return quiet
}

// holds reports whether one of a rule is on a conversation of an agent.
func (s silenced) holds(rule, agent, conversation string) bool {
	return slices.ContainsFunc(s, func(f *finding.Finding) bool {
		return f.Rule == rule && f.Subject.Agent == agent && f.Subject.Conversation == conversation
	})
}

//go:embed silenced_findings.sql
var silencedSQL string

// seenWithin is how long ago a run saw a finding that can still silence an alert.
const seenWithin = 24 * time.Hour

// setSilenced shows the findings that nobody wants to be told of: alerts on the same fact stay silent. Tools that nobody registered are one in
// metrics, and one of them does not silence the others.
func (a *Analyzer) setSilenced(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	var all rows
	var row struct {
		Rule    string `ch:"rule"`
		Server  string `ch:"server"`
		Tool    string `ch:"tool"`
		Model   string `ch:"model"`
		Agent   string `ch:"agent"`
		Release string `ch:"release"`
	}
	err := a.q.Each(ctx, silencedSQL, []any{a.now().Add(-seenWithin).UnixMicro()}, &row, func() error {
		if row.Tool == "" || a.knows(row.Server, row.Tool) {
			all.add(1, row.Rule, row.Server, row.Tool, row.Model, row.Agent, row.Release)
		}
		return nil
	})
	if err != nil {
		a.warn("findings that are muted or resolved", err)
		return
	}
	a.setEach(a.metrics.Window.FindingSilenced, all)
	a.readHushed(ctx)
}

//go:embed hushed_switches.sql
var hushedSQL string

// hushed are the findings on what the breaker decided that are muted or resolved, by fingerprint.
type hushed map[string]finding.Life

// readHushed reads them for the breaker, which runs beside.
func (a *Analyzer) readHushed(ctx context.Context) {
	all := hushed{}
	var row struct {
		Fingerprint string    `ch:"fingerprint"`
		State       string    `ch:"state"`
		Since       time.Time `ch:"state_since"`
		Until       time.Time `ch:"muted_until"`
	}
	err := a.q.Each(ctx, hushedSQL, []any{drift.RuleToolDisabled}, &row, func() error {
		all[row.Fingerprint] = finding.Life{State: finding.State(row.State), Since: row.Since, Until: dated(row.Until)}
		return nil
	})
	if err != nil {
		a.warn("switches that are muted or resolved", err)
		return
	}
	a.hushed.Store(&all)
}

// hushes reports whether nobody wants to be told of what the breaker decided of a tool: its finding is muted, or somebody resolved it since. What
// somebody decided by hand has none.
func (a *Analyzer) hushes(s *drift.Switch, now time.Time) bool {
	all := a.hushed.Load()
	if all == nil || s.By != drift.ByBreaker && s.AlertOnly == "" {
		return false
	}
	f := s.Finding()
	switch life := (*all)[f.Fingerprint]; life.State {
	case finding.Muted:
		return now.Before(life.Until)
	case finding.Resolved:
		return life.Since.After(s.DecidedAt())
	}
	return false
}
