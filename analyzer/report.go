package analyzer

import (
	"time"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/prefix"
)

// Report is what one run of the analyzer says. Its JSON is for scripts: paths are added, never renamed.
type Report struct {
	// Window is the span of event time that was looked at; open ends are left out.
	Window finding.Window `json:"window"`
	// Scope is whose events were looked at; empty is everybody's.
	Scope finding.Scope `json:"scope,omitzero"`
	// Events counts stored events by kind.
	Events map[string]int64 `json:"events"`
	// Conversations counts the conversations that the events belong to.
	Conversations int64 `json:"conversations"`
	// FirstEvent and LastEvent are the span of the events' own times, heartbeats left out; zero when there are none.
	FirstEvent time.Time `json:"first_event,omitzero"`
	LastEvent  time.Time `json:"last_event,omitzero"`
	Calls      Calls     `json:"calls"`

	Drift      drift.Report      `json:"drift"`
	Prefix     prefix.Report     `json:"prefix"`
	Activation activation.Report `json:"activation"`

	// StatedCostUSD is what the sources themselves say all requests cost; nil when none says.
	StatedCostUSD *float64 `json:"stated_cost_usd"`
	// CostUSD is what the requests cost by the price table; nil when no request's model is in it.
	CostUSD *float64 `json:"cost_usd"`
	// Findings are the facts that need attention, worst first.
	Findings []finding.Finding `json:"findings"`
	// Incomplete names the parts that could not be made and why; the parts themselves are empty then, which says nothing.
	Incomplete []string `json:"incomplete,omitzero"`
	// DeadLetters counts events that were refused.
	DeadLetters int64 `json:"dead_letters"`
}

// Calls counts tool calls.
type Calls struct {
	Total int64 `json:"total"`
	// ByOutcome has every outcome, those with no calls too.
	ByOutcome map[string]int64 `json:"by_outcome"`
}
