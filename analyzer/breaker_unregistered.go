package analyzer

import (
	"log/slog"
	"time"

	"github.com/tooltrail/tooltrail/drift"
)

const (
	// unregisteredFor is for how long a switch of a tool that is not registered counts once it refuses no more.
	unregisteredFor = time.Hour
	// recountEvery is how often they are counted anew: other analyzers write some too, and people enable tools.
	recountEvery = time.Second
	// leftOutLogEvery is how often the log hears of tools that are left out.
	leftOutLogEvery = time.Minute
)

// unregistered counts the switches of tools that are not registered. The breaker's lock guards it.
type unregistered struct {
	n int
	// counted is when, said when the log last heard of one that was left out, out how many were since then.
	counted, said time.Time
	out           int
}

// leaveOut reports that a tool is not to be disabled because nobody registered it and too many such tools have been. Its errors stay in
// their row: the next one decides anew.
func (b *Breaker) leaveOut(d *drift.Decision) bool {
	if d.Probe || b.registry.Knows(d.Key.Key) {
		return false
	}
	now, u := time.Now(), &b.unregistered
	if now.Sub(u.counted) > recountEvery {
		u.n, u.counted = b.countUnregistered(now), now
	}
	if u.n < b.rules.MaxUnregistered {
		return false
	}
	b.metrics.Unregistered.Inc()
	u.out++
	if now.Sub(u.said) > leftOutLogEvery {
		b.log.Warn("too many tools that are not registered are disabled: errors of others are left out", slog.Int("have", u.n),
			slog.Int("max_unregistered", b.rules.MaxUnregistered), slog.Int("errors_left_out", u.out), slog.String("last_tool", d.Key.String()))
		u.said, u.out = now, 0
	}
	return true
}

// countUnregistered counts what breakers decided on tools that are not registered, as far as it holds or is not long ago.
func (b *Breaker) countUnregistered(now time.Time) (n int) {
	for k, s := range b.core.Switches {
		if isDecidedLately(s, now) && !b.registry.Knows(k.Key) {
			n++
		}
	}
	return n
}

func isDecidedLately(s *drift.Switch, now time.Time) bool {
	alerted := now.Sub(s.AlertedAt) < unregisteredFor
	decided := s.By == drift.ByBreaker || s.By == drift.ByProbe
	return alerted || decided && (s.Refuses(now) || now.Sub(s.Since) < unregisteredFor)
}
