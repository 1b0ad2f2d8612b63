package analyzer

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/tooltrail/tooltrail/events"
)

//go:embed summary_events.sql
var eventsSQL string

//go:embed summary_calls.sql
var callsSQL string

//go:embed summary_conversations.sql
var conversationsSQL string

// summarise counts what is there: events, conversations, calls and dead letters.
func summarise(ctx context.Context, q Querier, r *Report) error {
	for _, step := range []struct {
		what string
		run  func(context.Context, Querier, *Report) error
	}{
		{"count events", countEvents},
		{"count calls", countCalls},
		{"count conversations", countConversations},
	} {
		if err := step.run(ctx, q, r); err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
	}
	return nil
}

const deadLetterKind = "dead_letter"

func countEvents(ctx context.Context, q Querier, r *Report) error {
	r.Events = map[string]int64{}
	for _, k := range events.Kinds() {
		r.Events[string(k)] = 0
	}
	var row struct {
		Kind  string    `ch:"kind"`
		N     uint64    `ch:"n"`
		First time.Time `ch:"first"`
		Last  time.Time `ch:"last"`
	}
	return q.Each(ctx, eventsSQL, r.Window.Args(), &row, func() error {
		if row.Kind == deadLetterKind {
			r.DeadLetters = int64(row.N)
			return nil
		}
		r.Events[row.Kind] = int64(row.N)
		if row.N > 0 && row.Kind != string(events.KindClientHeartbeat) {
			r.extend(row.First, row.Last)
		}
		return nil
	})
}

// extend widens the span of events to hold first and last.
func (r *Report) extend(first, last time.Time) {
	if r.FirstEvent.IsZero() || first.Before(r.FirstEvent) {
		r.FirstEvent = first.UTC()
	}
	if last.After(r.LastEvent) {
		r.LastEvent = last.UTC()
	}
}

func countCalls(ctx context.Context, q Querier, r *Report) error {
	r.Calls = Calls{ByOutcome: map[string]int64{}}
	for _, o := range []events.Outcome{events.OutcomeOK, events.OutcomeExecutionError, events.OutcomeValidationError, events.OutcomeRefused} {
		r.Calls.ByOutcome[string(o)] = 0
	}
	var row struct {
		Outcome string `ch:"outcome"`
		N       uint64 `ch:"n"`
	}
	return q.Each(ctx, callsSQL, r.Window.Args(), &row, func() error {
		r.Calls.ByOutcome[row.Outcome] = int64(row.N)
		r.Calls.Total += int64(row.N)
		return nil
	})
}

func countConversations(ctx context.Context, q Querier, r *Report) error {
	var row struct {
		N uint64 `ch:"n"`
	}
	return q.Each(ctx, conversationsSQL, r.Window.Args(), &row, func() error {
		r.Conversations = int64(row.N)
		return nil
	})
}
