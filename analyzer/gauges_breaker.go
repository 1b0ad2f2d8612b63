package analyzer

import (
	"time"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/metrics"
)

// The states of a tool whose calls failed in a row and that stays enabled.
const (
	// stateAlerted is for a tool that people are told of, and that is all.
	stateAlerted = "alerted"
	// stateDryRun is for one that would be disabled, were the breaker not on trial.
	stateDryRun = "dry_run"
	// stateSilenced is for one whose finding is muted or was resolved, whether it is disabled or not.
	stateSilenced = "silenced"
)

func alertState(why drift.AlertOnly) string {
	if why == drift.AlertDryRun {
		return stateDryRun
	}
	return stateAlerted
}

// alertedFor is how long a tool is shown so after people were told.
const alertedFor = time.Hour

// showSwitches shows the state of each tool that has a switch. It is called with mu held.
func (b *Breaker) showSwitches(now time.Time) {
	b.metrics.NATSUp.Set(metrics.One(b.js.Conn().IsConnected()))
	count := map[drift.SwitchState]int{drift.SwitchDisabled: 0, drift.SwitchProbing: 0, drift.SwitchEnabled: 0}
	var refusing, open rows
	for k, s := range b.core.Switches {
		state := s.State
		if !s.Refuses(now) {
			state = drift.SwitchEnabled
		}
		count[state]++
		server, tool := k.Server, k.Tool
		if !b.registry.Knows(k.Key) {
			server, tool = metrics.Other, metrics.Other
		}
		alerts := s.AlertOnly != "" && now.Sub(s.AlertedAt) < alertedFor
		switch {
		case (state != drift.SwitchEnabled || alerts) && b.parts.Analyzer.hushes(s, now):
			refusing.add(1, server, tool, stateSilenced)
		case state != drift.SwitchEnabled:
			refusing.add(1, server, tool, string(state))
		case alerts:
			refusing.add(1, server, tool, alertState(s.AlertOnly))
		default:
			open.add(1, server, tool, string(state))
		}
	}
	for state, n := range count {
		b.metrics.Switches.WithLabelValues(string(state)).Set(float64(n))
	}
	b.metrics.ToolState.Set(b.parts.Analyzer.metrics.Limits, true, append(refusing, open...))
}
