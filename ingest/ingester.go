package ingest

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/metrics"
)

// Parts are what an [Ingester] works with. Enricher and Log may be nil.
type Parts struct {
	JetStream jetstream.JetStream
	Sink      Sink
	Metrics   *metrics.Ingest
	Enricher  Enricher
	Log       *slog.Logger
}

// Ingester moves events from JetStream into a [Sink]. Use [New].
type Ingester struct {
	cfg      Config
	js       jetstream.JetStream
	sink     Sink
	metrics  *metrics.Ingest
	enricher Enricher
	traffic  *traffic
	log      *slog.Logger

	// id tells this ingester from others.
	id     string
	budget *budget
	// inserts has room for as many inserts as may run at once.
	inserts chan struct{}
	lanes   []*lane
}

// New makes an ingester. It starts nothing.
func New(p Parts, cfg Config) (*Ingester, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("ingest settings: %w", err)
	}
	if p.Log == nil {
		p.Log = slog.New(slog.DiscardHandler)
	}
	g := &Ingester{
		cfg: cfg, js: p.JetStream, sink: p.Sink, metrics: p.Metrics, enricher: p.Enricher, traffic: newTraffic(p.Metrics.Traffic, p.Enricher), log: p.Log,
		id: uuid.NewString(), budget: newBudget(cfg.Memory, p.Metrics.MemoryBytes), inserts: make(chan struct{}, cfg.MaxInserts),
	}
	for _, partition := range cfg.Partitions {
		for _, kind := range events.Kinds() {
			g.lanes = append(g.lanes, newLane(g, partition, kind))
		}
	}
	g.lanes = append(g.lanes, newLane(g, 0, events.KindDeadLetter))
	return g, nil
}

// Run moves events until ctx ends. Neither NATS nor the store need be there at the start, and either may go away for any time.
// When ctx ends it stops fetching, stores what it has fetched for at most the grace period, and returns nil, or an
// [*UnstoredError] when that did not suffice. Nothing is lost then: the events are still in the stream.
func (g *Ingester) Run(ctx context.Context) error {
	work, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	var lanes sync.WaitGroup
	for _, l := range g.lanes {
		lanes.Go(func() { l.run(ctx, work) })
	}
	lanes.Go(func() { g.watchSubjects(ctx) })
	done := make(chan struct{})
	go func() {
		defer close(done)
		lanes.Wait()
	}()
	<-ctx.Done()
	grace := time.NewTimer(g.cfg.Grace)
	defer grace.Stop()
	select {
	case <-done:
	case <-grace.C:
		cancel(errGraceOver)
		<-done
	}
	return g.unstored()
}

// unstored returns an error when decoded events were left.
func (g *Ingester) unstored() error {
	n := 0
	for _, l := range g.lanes {
		n += l.unstored
	}
	if n == 0 {
		return nil
	}
	return &UnstoredError{Events: n, Cause: errGraceOver}
}

// Lane is how one lane is.
type Lane struct {
	Subject string `json:"subject"`
	// OK is set while the lane works, or waits for its turn while another ingester works on it.
	OK bool `json:"ok"`
	// State is "running", "waiting for the lease", or the last error.
	State string `json:"state"`
	// Settled is the stream sequence of the last message that needs no more work: all up to there is stored, was a duplicate, or
	// went to the dead letters.
	Settled uint64 `json:"settled"`
}

// Lanes returns how each lane is.
func (g *Ingester) Lanes() []Lane {
	lanes := make([]Lane, len(g.lanes))
	for i, l := range g.lanes {
		s := l.state.Load()
		lanes[i] = Lane{l.subject, s.ok, s.text, l.settledTo.Load()}
	}
	return lanes
}

// watchSubjects looks for subjects in the stream that this ingester does not read: an agent's partition is beyond those of the
// settings, or its kind is of a later version.
func (g *Ingester) watchSubjects(ctx context.Context) {
	known := make(map[string]bool)
	for g.showUp(ctx); wait(ctx, g.cfg.PollInterval) == nil; g.showUp(ctx) {
		subjects, err := g.subjects(ctx)
		if err != nil {
			continue // the lanes say so
		}
		unread := 0
		for subject := range subjects {
			if g.reads(subject) {
				continue
			}
			unread++
			if !known[subject] {
				known[subject] = true
				g.log.Warn("this ingester does not read a subject of the stream", slog.String("subject", subject))
			}
		}
		g.metrics.UnassignedSubjects.Set(float64(unread))
	}
}

func (g *Ingester) subjects(ctx context.Context) (map[string]uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, g.cfg.InsertTimeout)
	defer cancel()
	found, err := g.js.Stream(ctx, g.cfg.Stream)
	if err != nil {
		return nil, err
	}
	info, err := found.Info(ctx, jetstream.WithSubjectFilter(events.SubjectPrefix+">"))
	if err != nil {
		return nil, err
	}
	return info.State.Subjects, nil
}

// reads reports whether a lane reads the subject.
func (g *Ingester) reads(subject string) bool {
	for _, l := range g.lanes {
		if l.subject == subject {
			return true
		}
	}
	return false
}
