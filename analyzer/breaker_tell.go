package analyzer

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/stream"
)

const (
	// maxDebts is how many decisions wait for people to be told of them; further ones are left to the switches themselves.
	maxDebts = 10_000
	// tellTimeout ends one try to tell.
	tellTimeout = 10 * time.Second
)

// FindingStates sets the state of a finding that is kept, where there is one. A [Keeper] may have it: findings of tools that are enabled again
// are resolved then.
type FindingStates interface {
	SetFindingState(ctx context.Context, fingerprint string, s finding.State, mutedUntil time.Time) (bool, error)
}

// teller tells people of what the breaker decided: it publishes and keeps the finding, and then marks the switch as told. The one that wrote a
// decision tells at once; any other one that sees a switch unmarked for too long does, so that nothing stays untold whoever was killed.
type teller struct {
	a      *Analyzer
	tools  *Registry
	bucket *stream.Bucket
	cfg    BreakerConfig
	log    *slog.Logger
	wake   chan struct{}

	mu    sync.Mutex
	debts map[debtKey]*debt
}

// debtKey is a switch as it was decided at a place.
type debtKey struct {
	key   string
	place drift.Place
}

// debt is what people are to be told, or that it is over.
type debt struct {
	debtKey
	s *drift.Switch
	// mine says that this process decided it.
	mine bool
	// over says that the tool is enabled again.
	over bool
	// published and kept say what is done.
	published, kept bool
	due             time.Time
	pauses          *backoff.ExponentialBackOff
}

func newTeller(a *Analyzer, bucket *stream.Bucket, tools *Registry, cfg BreakerConfig, log *slog.Logger) *teller {
	return &teller{a: a, tools: tools, bucket: bucket, cfg: cfg, log: log, wake: make(chan struct{}, 1), debts: map[debtKey]*debt{}}
}

// owe tells of a decision that this process wrote.
func (t *teller) owe(key string, s *drift.Switch) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.add(&debt{debtKey: debtKey{key, s.Place()}, s: s, mine: true, due: time.Now()})
}

// see hears that a switch was changed, at a time.
func (t *teller) see(key string, was, is *drift.Switch, at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for k, d := range t.debts {
		if k.key == key && !d.mine && (k.place != is.Place() || !is.Untold()) {
			delete(t.debts, k) // somebody told, or it is not so any more
		}
	}
	if is.Untold() {
		t.add(&debt{debtKey: debtKey{key, is.Place()}, s: is, due: at.Add(t.cfg.TellAfter)})
	}
	if is != nil && is.State == drift.SwitchEnabled && was != nil && was.State != drift.SwitchEnabled && was.ErrorCount > 0 {
		t.add(&debt{debtKey: debtKey{key, is.Place()}, s: was, mine: true, over: true, published: true, due: time.Now()})
	}
}

// add takes a debt, unless it is there, or there is no room and it is the last that would be told.
func (t *teller) add(d *debt) {
	if old := t.debts[d.debtKey]; old != nil && (old.mine || !d.mine) || old == nil && !t.makeRoom(d) {
		return
	}
	d.pauses = backoff.NewExponentialBackOff()
	d.pauses.InitialInterval, d.pauses.MaxInterval = min(breakerRetryMin, t.cfg.RetryMax), t.cfg.RetryMax
	d.pauses.Reset()
	t.debts[d.debtKey] = d
	t.a.metrics.Breaker.Untold.Set(float64(len(t.debts)))
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// makeRoom gives up the last of the debts where there are too many; false where that is d.
func (t *teller) makeRoom(d *debt) bool {
	if len(t.debts) < maxDebts {
		return true
	}
	last := d
	for _, o := range t.debts {
		if t.isBefore(last, o) {
			last = o
		}
	}
	delete(t.debts, last.debtKey)
	return last != d
}

// isBefore says which of two debts is told first: one of which nobody was told at all, then one of a registered tool, then the newer.
func (t *teller) isBefore(d, o *debt) bool {
	if d.published != o.published {
		return !d.published
	}
	if is := t.tools.Knows(d.s.KeyOf().Key); is != t.tools.Knows(o.s.KeyOf().Key) {
		return is
	}
	return d.s.DecidedAt().After(o.s.DecidedAt())
}

// run tells until ctx ends. What is left then is told by whoever reads the switches next.
func (t *teller) run(ctx context.Context) {
	for {
		d, wait := t.next()
		if d != nil {
			t.tell(ctx, d)
			continue
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-t.wake:
			timer.Stop()
		case <-ctx.Done():
			timer.Stop()
			return
		}
	}
}

// idleWait is how long the teller sleeps where nothing is owed.
const idleWait = time.Minute

// next returns the first of the debts that are due, else how long to wait for one.
func (t *teller) next() (due *debt, wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now, wait := time.Now(), idleWait
	for _, d := range t.debts {
		switch {
		case d.over && t.owes(d.key):
		case d.due.After(now):
			wait = min(wait, d.due.Sub(now))
		case due == nil || t.isBefore(d, due):
			due = d
		}
	}
	return due, wait
}

// owes reports that what a switch says is still to be told: that it is over comes after it.
func (t *teller) owes(key string) bool {
	for k, d := range t.debts {
		if k.key == key && !d.over {
			return true
		}
	}
	return false
}

// tell tries to pay a debt; what did not succeed is due again later.
func (t *teller) tell(ctx context.Context, d *debt) {
	err := t.try(ctx, d)
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil {
		delete(t.debts, d.debtKey)
		t.a.metrics.Breaker.Untold.Set(float64(len(t.debts)))
		return
	}
	pause := d.pauses.NextBackOff()
	d.due = time.Now().Add(pause)
	if ctx.Err() == nil {
		t.a.metrics.Breaker.WriteErrors.WithLabelValues("finding").Inc()
		t.log.Warn("tell of a decision again", slog.String("key", d.key), slog.Any("error", err), slog.Duration("retry_in", pause))
	}
}

// try publishes first: people are told even where nothing can be kept.
func (t *teller) try(ctx context.Context, d *debt) error {
	ctx, cancel := context.WithTimeout(ctx, tellTimeout)
	defer cancel()
	f := d.s.Finding()
	if d.over {
		return t.resolve(ctx, &f)
	}
	f.FirstSeen, f.LastSeen, f.State = d.s.DecidedAt(), d.s.DecidedAt(), finding.Open
	f.Began, f.LastEvent = f.FirstSeen, f.FirstSeen
	if !d.published && !t.a.isMuted(ctx, &f) {
		if err := t.a.publish(ctx, &f); err != nil {
			t.a.metrics.PublishErrors.Inc()
			return err
		}
	}
	d.published = true
	if !d.kept {
		if err := t.a.keepAgain(ctx, f); err != nil {
			return err
		}
		d.kept = true
	}
	return t.mark(ctx, d)
}

// mark writes into the switch that people were told, where it is still as decided.
func (t *teller) mark(ctx context.Context, d *debt) error {
	_, err := t.bucket.Change(ctx, d.key, func(old []byte) ([]byte, error) {
		s, err := drift.DecodeSwitch(old)
		if err != nil || !s.Untold() || s.Place() != d.place {
			return nil, nil //nolint:nilerr // what can't be read is not ours any more
		}
		s.Told = true
		return s.Encode()
	})
	if err != nil {
		return fmt.Errorf("mark switch as told: %w", err)
	}
	return nil
}

// resolve sets the finding's state where the keeper can.
func (t *teller) resolve(ctx context.Context, f *finding.Finding) error {
	states, ok := t.a.keep.(FindingStates)
	if !ok {
		return nil
	}
	if _, err := states.SetFindingState(ctx, f.Fingerprint, finding.Resolved, time.Time{}); err != nil {
		return fmt.Errorf("resolve finding: %w", err)
	}
	return nil
}

// isMuted reports whether a finding is known to be muted.
func (a *Analyzer) isMuted(ctx context.Context, f *finding.Finding) bool {
	known, err := a.known(ctx, []finding.Finding{*f})
	return err == nil && known[f.Fingerprint].State == finding.Muted
}

// keepAgain keeps a finding that may be known; one that was resolved is open again by its time.
func (a *Analyzer) keepAgain(ctx context.Context, f finding.Finding) error {
	if a.keep == nil {
		return nil
	}
	fs := []finding.Finding{f}
	a.own(fs)
	_, err := a.save(ctx, fs, look{})
	return err
}
