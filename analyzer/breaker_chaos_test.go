package analyzer_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/stream"
)

// TestBreakersThatAreKilledDecideWhatOneWouldHave runs two breakers on one stream, kills one or the other at any moment, has a person enable the
// tool from time to time, and holds all states of the switch against what a breaker decides that reads the calls undisturbed.
func TestBreakersThatAreKilledDecideWhatOneWouldHave(t *testing.T) {
	s := startNATS(t)
	js := s.connect()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 7))
	who := newPeople()
	states := record(t, js)
	run := func() *breaker {
		return runBreaker(t, s, func(o *breakerOptions) { o.people, o.cfg.TellAfter = who, 50*time.Millisecond })
	}
	both := []*breaker{run(), run()}
	reference := newReference(t)
	outcomes := []events.Outcome{events.OutcomeValidationError, events.OutcomeValidationError, events.OutcomeValidationError, events.OutcomeOK, events.OutcomeRefused}
	var ids []string
	for range 300 {
		switch n := random.IntN(20); {
		case n == 0:
			i := random.IntN(2)
			both[i].kill(t)
			both[i] = run()
		case n < 3 && reference.disabled():
			awaitState(t, js, drift.SwitchDisabled, reference.now.Seq)
			eventually(t, "people are told", func() bool { return switchOf(t, js).Told })
			reference.enable(enable(t, js, time.Time{}))
		default:
			id := uuid.NewString()
			if len(ids) > 0 && random.IntN(6) == 0 {
				id = ids[random.IntN(len(ids))]
			}
			ids = append(ids, id)
			o := outcomes[random.IntN(len(outcomes))]
			reference.feed(id, o, send(t, js, line(t, id, orderCall(o))))
		}
	}
	if reference.disabled() {
		awaitState(t, js, drift.SwitchDisabled, reference.now.Seq)
	}
	awaitRead(t, js)
	eventually(t, "all states are recorded", func() bool { return len(states()) >= len(reference.states) })
	if diff := cmp.Diff(reference.states, states()); diff != "" {
		t.Errorf("(-undisturbed +killed):\n%s", diff)
	}
	eventually(t, "all are told", func() bool { return !switchOf(t, js).Untold() })
	if n := who.told(); n < reference.trips {
		t.Errorf("told %d times of %d decisions", n, reference.trips)
	}
	t.Logf("%d states, %d decisions, told %d times", len(reference.states), reference.trips, who.told())
}

// record notes all states of the switch of shop/order as they come, repeats left out.
func record(t *testing.T, js jetstream.JetStream) func() []string {
	b := stream.NewBucket(js, stream.BreakerBucket)
	epoch, err := b.Epoch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var states []string
	start(t, func(ctx context.Context) error {
		return b.Revisions(ctx, epoch, 1, func(e stream.Entry) error {
			s, err := drift.DecodeSwitch(e.Value)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			states = slices.Compact(append(states, stateText(s)))
			return nil
		})
	})
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(states)
	}
}

func stateText(s *drift.Switch) string { return fmt.Sprintf("%s by %s at %d", s.State, s.By, s.Seq) }

// reference is a breaker that nothing disturbs.
type reference struct {
	t      *testing.T
	core   *drift.Breaker
	now    *drift.Switch
	states []string
	trips  int
}

func newReference(t *testing.T) *reference {
	return &reference{t: t, core: drift.NewBreaker(drift.DefaultBreakerSettings())}
}

func (r *reference) disabled() bool { return r.now != nil && r.now.State == drift.SwitchDisabled }

func (r *reference) set(s *drift.Switch) {
	r.now = s
	r.core.SetSwitch(s.KeyOf(), s)
	r.states = append(r.states, stateText(s))
}

func (r *reference) feed(id string, o events.Outcome, seq uint64) {
	c := drift.BreakerCallOf(uuid.MustParse(id), time.Now(), orderCall(o), drift.Place{Epoch: "1", Seq: seq}, time.Now())
	_, d := r.core.Feed(&c)
	if d == nil {
		return
	}
	if s := d.Apply(r.now, nil); s != nil {
		r.set(s)
		r.trips++
	}
	r.core.Settle(d)
}

func (r *reference) enable(seq uint64) {
	s, err := drift.Enable(r.now, drift.SwitchEdit{Server: "shop", Tool: "order", By: "ada", At: time.Now(), Place: drift.Place{Epoch: "1", Seq: seq}})
	if err != nil {
		r.t.Fatal(err)
	}
	r.set(s)
}

// TestManyBreakersOnManyToolsWriteEachDecisionOnce floods three breakers with failing calls of many tools.
func TestManyBreakersOnManyToolsWriteEachDecisionOnce(t *testing.T) {
	s := startNATS(t)
	js := s.connect()
	who := newPeople()
	for range 3 {
		runBreaker(t, s, func(o *breakerOptions) { o.people = who })
	}
	const tools = 40
	for range 5 {
		var lines [][]byte
		for i := range tools {
			lines = append(lines, line(t, uuid.NewString(), orderCall(words["err"], func(c *events.ToolCall) { c.ToolName = fmt.Sprint("tool-", i) })))
		}
		send(t, js, lines...)
	}
	eventually(t, "people are told of all", func() bool {
		all, err := stream.NewBucket(js, stream.BreakerBucket).All(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		told := 0
		for _, e := range all {
			if sw, err := drift.DecodeSwitch(e.Value); err == nil && sw.State == drift.SwitchDisabled && sw.Seq == 3 && sw.Told {
				told++
			}
		}
		return told == tools
	})
	if n := who.told(); n != tools {
		t.Errorf("told %d times of %d tools", n, tools)
	}
}
