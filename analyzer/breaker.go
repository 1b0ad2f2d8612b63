package analyzer

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/metrics"
	"github.com/tooltrail/tooltrail/stream"
)

// BreakerParts are what a [Breaker] works with.
type BreakerParts struct {
	JetStream jetstream.JetStream
	// Analyzer keeps and publishes what the breaker finds.
	Analyzer *Analyzer
	// Settings gives the rules in force; it is asked at every checkpoint. Nil are the default ones.
	Settings func() drift.BreakerSettings
	// Registry is what calls are judged by that nobody judged; somebody else runs it. Nil is one of the breaker's own.
	Registry *Registry
	Log      *slog.Logger
}

// Breaker reads tool calls from the event stream as they come and disables a tool whose calls fail validation in a row: it writes the
// tool's switch, which every client watches, and tells people. Several may run on one stream: each decision is written by one of
// them. Make one with [NewBreaker].
type Breaker struct {
	cfg      BreakerConfig
	parts    BreakerParts
	js       jetstream.JetStream
	switches *stream.Bucket
	registry *Registry
	metrics  *metrics.Breaker
	log      *slog.Logger
	teller   *teller

	// switchesKnown is given when the switches were read for the first time.
	switchesKnown *signal

	// mu guards what follows. It is held while the calls of a message are fed, writing what they decide included, so that who holds it
	// finds whole messages.
	mu   sync.Mutex
	core *drift.Breaker
	// confirmed is when switches that refuse calls were last looked at.
	confirmed map[drift.SwitchKey]time.Time
	// pending is a decision that could not be written before a session ended.
	pending *drift.Decision
	// restored says that the checkpoint was looked for, and reread that the messages before it were read again.
	restored, reread bool
	rules            drift.BreakerSettings
	// saidLate is when the log last heard of errors that were read too late.
	saidLate time.Time
	// kept is where the last checkpoint was that is known to be stored.
	kept drift.Place
	// end is what the stream was last seen to end with.
	end          drift.Place
	unregistered unregistered
}

// NewBreaker returns a breaker that starts nothing.
func NewBreaker(cfg BreakerConfig, p BreakerParts) (*Breaker, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("check breaker settings: %w", err)
	}
	b := &Breaker{
		cfg: cfg, parts: p, js: p.JetStream, switches: stream.NewBucket(p.JetStream, stream.BreakerBucket), registry: p.Registry,
		metrics: p.Analyzer.metrics.Breaker, log: p.Log, switchesKnown: newSignal(), rules: p.settings(),
		confirmed: map[drift.SwitchKey]time.Time{},
	}
	if b.registry == nil {
		b.registry = NewRegistry(stream.NewBucket(b.js, stream.RegistryBucket), p.Analyzer.metrics, p.Log)
	}
	b.core = drift.NewBreaker(b.rules)
	b.teller = newTeller(p.Analyzer, b.switches, b.registry, cfg, p.Log)
	return b, nil
}

// Run reads and decides until ctx ends, which is not an error. NATS and the store may be away for any time. At the end it stores a last
// checkpoint.
func (b *Breaker) Run(ctx context.Context) error {
	var parts sync.WaitGroup
	parts.Go(func() { b.switches.Watch(ctx, switchWatch{b}, stream.WatchOptions{}, b.unwatched("switches")) })
	if b.parts.Registry == nil {
		parts.Go(func() { _ = b.registry.Run(ctx) }) // it ends with the context alone
	}
	parts.Go(func() { b.teller.run(ctx) })
	parts.Go(func() { b.ticks(ctx) })
	b.sessions(ctx)
	parts.Wait()
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), breakerGrace)
	defer cancel()
	if err := b.checkpoint(last); err != nil {
		b.log.Warn("store the last checkpoint", slog.Any("error", err))
	}
	return nil
}

// unwatched says that a bucket is watched again.
func (b *Breaker) unwatched(what string) func(error) {
	return func(err error) { b.log.Warn("watch again", slog.String("what", what), slog.Any("error", err)) }
}

// sessions reads in one session after the other, once the switches are known.
func (b *Breaker) sessions(ctx context.Context) {
	if !b.switchesKnown.wait(ctx, 0) {
		return
	}
	if !b.registry.wait(ctx) && ctx.Err() == nil {
		b.log.Warn("the registry is not known yet: calls that nobody judged count by their outcome alone")
	}
	pauses := b.pauses()
	for ctx.Err() == nil {
		moved, err := b.session(ctx)
		if ctx.Err() != nil {
			return
		}
		if moved {
			pauses.Reset()
		}
		b.metrics.Restarts.Inc()
		d := pauses.NextBackOff()
		b.log.Warn("read the stream again", slog.Any("error", err), slog.Duration("retry_in", d))
		sleep(ctx, d)
	}
}

func (b *Breaker) pauses() *backoff.ExponentialBackOff {
	p := backoff.NewExponentialBackOff()
	p.InitialInterval, p.MaxInterval, p.Multiplier = min(breakerRetryMin, b.cfg.RetryMax), b.cfg.RetryMax, 2
	p.Reset()
	return p
}

// ticks looks after all that is not read from the stream.
func (b *Breaker) ticks(ctx context.Context) {
	tick := time.NewTicker(b.cfg.CheckpointEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		b.refresh()
		if err := b.checkpoint(ctx); err != nil && ctx.Err() == nil {
			b.metrics.WriteErrors.WithLabelValues("checkpoint").Inc()
			b.log.Warn("store checkpoint again", slog.Any("error", err))
		}
	}
}

// refresh takes changed settings over and counts switches.
func (b *Breaker) refresh() {
	rules := b.parts.settings()
	b.mu.Lock()
	defer b.mu.Unlock()
	if !reflect.DeepEqual(rules, b.rules) {
		b.rules = rules
		b.core.Use(rules)
		b.log.Info("breaker settings changed")
	}
	now := time.Now()
	maps.DeleteFunc(b.confirmed, func(k drift.SwitchKey, _ time.Time) bool { return !b.core.Switch(k).Refuses(now) })
	b.showSwitches(now)
}

// signal is given once, and waited for by any number.
type signal struct {
	once  sync.Once
	given chan struct{}
}

func newSignal() *signal { return &signal{given: make(chan struct{})} }

func (s *signal) give() { s.once.Do(func() { close(s.given) }) }

func (s *signal) isGiven() bool {
	select {
	case <-s.given:
		return true
	default:
		return false
	}
}

// wait reports whether the signal was given before ctx ended, and within a time unless that is 0.
func (s *signal) wait(ctx context.Context, within time.Duration) bool {
	if within > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, within)
		defer cancel()
	}
	select {
	case <-s.given:
		return true
	case <-ctx.Done():
		return false
	}
}
