package ingest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/metrics"
	"github.com/tooltrail/tooltrail/stream"
)

// lane is one subject that goes to one table. It opens one session after the other, for as long as the ingester runs.
type lane struct {
	*Ingester
	stream  string
	subject string
	kind    events.Kind
	log     *slog.Logger
	meter   meter
	lease   *lease

	// name is EPOCH/SUBJECT of the last session; position, recent and refusals belong to it.
	name     string
	position uint64
	recent   *recent
	// refusals counts rows that the store refused since it last stored one.
	refusals int
	// clearTo is the sequence up to which no message of the lane needs work; clearKept is when that was last kept.
	clearTo   uint64
	clearKept time.Time
	// unstored counts decoded events that were left when the lane was stopped.
	unstored int
	// settledTo is the stream sequence of the last message that needs no more work.
	settledTo atomic.Uint64
	// state says how the lane is.
	state atomic.Pointer[laneState]
}

// laneState says how a lane is: running, or why not.
type laneState struct {
	ok   bool
	text string
}

// meter has a lane's metrics.
type meter struct {
	lagMessages, lagSeconds                                               prometheus.Gauge
	events, bytes, batches, retries, duplicates, letters, races, restarts prometheus.Counter
	gaps, gapMessages                                                     prometheus.Counter
	insertSeconds                                                         prometheus.Observer
}

func newMeter(m *metrics.Ingest, partition, kind string) meter {
	return meter{
		lagMessages:   m.LagMessages.WithLabelValues(partition, kind),
		lagSeconds:    m.LagSeconds.WithLabelValues(partition, kind),
		events:        m.Events.WithLabelValues(kind),
		bytes:         m.Bytes.WithLabelValues(kind),
		batches:       m.Batches.WithLabelValues(kind),
		retries:       m.InsertRetries.WithLabelValues(kind),
		duplicates:    m.Duplicates.WithLabelValues(kind),
		letters:       m.DeadLetters.WithLabelValues(kind),
		races:         m.LostRaces.WithLabelValues(kind),
		restarts:      m.Restarts.WithLabelValues(kind),
		gaps:          m.Gaps.WithLabelValues(kind),
		gapMessages:   m.GapMessages.WithLabelValues(kind),
		insertSeconds: m.InsertSeconds.WithLabelValues(kind),
	}
}

// newLane makes the lane of a kind in a partition; the kind of dead letters has none.
func newLane(g *Ingester, partition int, kind events.Kind) *lane {
	l := &lane{Ingester: g, kind: kind}
	part := strconv.Itoa(partition)
	if kind == events.KindDeadLetter {
		part = "all"
		l.stream, l.subject = g.cfg.DeadLetterStream, events.DeadLetterSubject
	} else {
		l.stream, l.subject = g.cfg.Stream, events.Subject(partition, kind)
	}
	l.log = g.log.With(slog.String("subject", l.subject))
	l.meter = newMeter(g.metrics, part, string(kind))
	l.lease = newLease(g.cfg.LeaseTTL, l.subject, g.id)
	l.setState(false, "starting")
	return l
}

// setState notes how the lane is, and counts it among those that don't work.
func (l *lane) setState(ok bool, text string) {
	before := l.state.Swap(&laneState{ok, text})
	switch wasDown := before != nil && !before.ok; {
	case wasDown && ok:
		l.metrics.LanesDown.Dec()
	case !wasDown && !ok:
		l.metrics.LanesDown.Inc()
	}
}

// run holds the lane's lease, where there is one, and runs sessions under it until ctx ends. What was fetched by then is
// stored under work.
func (l *lane) run(ctx, work context.Context) {
	for ctx.Err() == nil {
		if l.cfg.LeaseTTL > 0 {
			l.setState(true, "waiting for the lease")
		}
		held, release, err := l.lease.hold(ctx, l.js)
		if err != nil {
			l.setState(false, err.Error())
			_ = wait(ctx, l.cfg.RetryMax)
			continue
		}
		l.sessions(held, work)
		release()
	}
}

// sessions runs one session after the other until ctx ends.
func (l *lane) sessions(ctx, work context.Context) {
	pause := newBackoff(l.cfg.RetryMin, l.cfg.RetryMax)
	for ctx.Err() == nil {
		moved, err := l.session(ctx, work)
		if ctx.Err() != nil {
			return
		}
		l.unstored = 0
		if moved {
			pause.Reset()
		}
		l.setState(false, err.Error())
		l.meter.restarts.Inc()
		d := pause.NextBackOff()
		if errors.Is(err, errOvertaken) {
			l.log.Debug("overtaken by another ingester", slog.Duration("retry_in", d))
		} else {
			l.log.Warn("start lane again", slog.Any("error", err), slog.Duration("retry_in", d))
		}
		_ = wait(ctx, d)
	}
}

// session runs one session and says whether it stored anything.
func (l *lane) session(ctx, work context.Context) (moved bool, err error) {
	s, err := l.open(ctx)
	if err != nil {
		return false, fmt.Errorf("open lane: %w", err)
	}
	l.setState(true, "running")
	l.log.Info("lane opened", slog.String("lane", l.name), slog.Uint64("position", l.position))
	before := l.position
	err = s.run(ctx, work)
	return l.position != before, err
}

// open reads the lane's position and opens a consumer behind it.
func (l *lane) open(ctx context.Context) (*session, error) {
	found, err := l.find(ctx)
	if err != nil {
		return nil, err
	}
	if err := l.resume(ctx, found.CachedInfo()); err != nil {
		return nil, err
	}
	s := &session{lane: l, stream: found, read: time.Now(), hopper: newHopper(l.cfg, l.budget), reader: l.newReader()}
	s.settledSeq.Store(l.position)
	l.settledTo.Store(l.position)
	s.seenSeq.Store(l.position)
	return s, l.subscribe(ctx, s)
}

// askTimeout is how long JetStream may take to answer one question. A question that was on its way when a connection broke
// is never answered.
const askTimeout = 3 * time.Second

func (l *lane) find(ctx context.Context) (jetstream.Stream, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	found, err := l.js.Stream(ctx, l.stream)
	if err != nil {
		return nil, fmt.Errorf("find stream %s: %w", l.stream, err)
	}
	return found, nil
}

// resume reads where the lane is in this stream.
func (l *lane) resume(ctx context.Context, info *jetstream.StreamInfo) error {
	if name := stream.EpochOf(info) + "/" + l.subject; name != l.name {
		l.name, l.position, l.clearTo, l.clearKept = name, 0, 0, time.Time{}
		l.recent = newRecent(l.cfg.RecentIDs)
	}
	if err := l.readStore(ctx); err != nil {
		return err
	}
	if l.clearTo > 0 {
		return nil
	}
	var err error
	l.clearTo, err = l.recall(ctx)
	return err
}

// readStore reads the lane's position, and the ids of what was stored since this ingester last looked.
func (l *lane) readStore(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, l.cfg.InsertTimeout)
	defer cancel()
	position, err := l.sink.Position(ctx, l.name)
	if err != nil {
		return err
	}
	if position < l.position {
		l.recent, l.position = newRecent(l.cfg.RecentIDs), 0
	}
	ids, err := l.sink.RecentIDs(ctx, l.name, l.cfg.RecentIDs, l.position)
	if err != nil {
		return err
	}
	l.recent.load(ids)
	l.position, l.refusals = position, 0
	return nil
}

// subscribe creates the session's consumer and makes sure that it is one of the stream that the lane is named after.
func (l *lane) subscribe(ctx context.Context, s *session) (err error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	epoch := s.stream.CachedInfo().Created
	if s.consumer, err = s.stream.CreateConsumer(ctx, l.consumerConfig()); err != nil {
		return fmt.Errorf("create consumer: %w", err)
	}
	info, err := s.stream.Info(ctx)
	if err != nil {
		return fmt.Errorf("read stream: %w", err)
	}
	return l.compare(info, epoch)
}

// compare holds the stream, as it is after the consumer was made, against what the lane took it for.
func (l *lane) compare(info *jetstream.StreamInfo, epoch time.Time) error {
	if !info.Created.Equal(epoch) {
		return errRecreated
	}
	if info.State.LastSeq < l.position {
		return errBehind
	}
	l.gaps(info.State.FirstSeq, l.position)
	return nil
}

func (l *lane) newReader() reader {
	if l.kind == events.KindDeadLetter {
		return &letterReader{l.recent}
	}
	return &eventReader{l.subject, l.kind, l.recent, l.enricher, l.cfg.MaxLetters}
}

func (l *lane) consumerConfig() jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{
		DeliverPolicy:     jetstream.DeliverByStartSequencePolicy,
		OptStartSeq:       l.position + 1,
		FilterSubject:     l.subject,
		AckPolicy:         jetstream.AckNonePolicy,
		InactiveThreshold: consumerIdle,
		MemoryStorage:     true,
		Replicas:          1,
	}
}

// consumerIdle is how long the server keeps a consumer that nobody asks. It is longer than a store may be away without
// costing anything: a consumer that is gone is made anew.
const consumerIdle = 5 * time.Minute
