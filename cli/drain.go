package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/ingest"
	"github.com/tooltrail/tooltrail/stream"
)

// drainPoll is how often the lanes are asked how far they are.
const drainPoll = 20 * time.Millisecond

// laneSource says how far each lane is.
type laneSource func(ctx context.Context) ([]ingest.Lane, error)

// drain waits until everything that JetStream has acked by now is settled: stored, found to be a duplicate, or in the table of dead
// letters.
func drain(ctx context.Context, js jetstream.JetStream, lanes laneSource) error {
	if err := settle(ctx, js, stream.Name, lanes, func(subject string) bool { return subject != events.DeadLetterSubject }); err != nil {
		return err
	}
	// Lanes publish their dead letters before they settle, so that by now all of those are in their stream.
	return settle(ctx, js, stream.DeadLetters, lanes, func(subject string) bool { return subject == events.DeadLetterSubject })
}

// settle waits for the lanes of one stream.
func settle(ctx context.Context, js jetstream.JetStream, name string, lanes laneSource, of func(subject string) bool) error {
	s, err := js.Stream(ctx, name)
	if err != nil {
		return fmt.Errorf("find stream %s: %w", name, err)
	}
	now, err := lanes(ctx)
	if err != nil {
		return err
	}
	targets := map[string]uint64{}
	for _, l := range now {
		if !of(l.Subject) {
			continue
		}
		last, err := lastSequence(ctx, s, l.Subject)
		if err != nil {
			return err
		}
		targets[l.Subject] = last
	}
	return awaitLanes(ctx, lanes, targets)
}

// lastSequence is the stream sequence of the newest message of a subject, 0 when there is none.
func lastSequence(ctx context.Context, s jetstream.Stream, subject string) (uint64, error) {
	msg, err := s.GetLastMsgForSubject(ctx, subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("look for the last message of %s: %w", subject, err)
	}
	return msg.Sequence, nil
}

// awaitLanes polls until each lane has reached its target.
func awaitLanes(ctx context.Context, lanes laneSource, targets map[string]uint64) error {
	tick := time.NewTicker(drainPoll)
	defer tick.Stop()
	for {
		now, err := lanes(ctx)
		if err != nil {
			return err
		}
		if reached(now, targets) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for events to be stored: %w", ctx.Err())
		case <-tick.C:
		}
	}
}

func reached(now []ingest.Lane, targets map[string]uint64) bool {
	for _, l := range now {
		if l.Settled < targets[l.Subject] {
			return false
		}
	}
	return true
}
