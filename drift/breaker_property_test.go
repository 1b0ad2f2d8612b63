package drift

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tooltrail/tooltrail/events"
)

// naive decides as docs/design.md says, by going through all calls so far at each call.
type naive struct {
	settings BreakerSettings
	calls    []BreakerCall
	// floors are the places up to which calls of a tool count no more, disabled the tools that are.
	floors   map[SwitchKey]uint64
	disabled map[SwitchKey]bool
}

// feed takes a call and returns what it disables.
func (n *naive) feed(c BreakerCall) (SwitchKey, bool) {
	n.calls = append(n.calls, c)
	k := n.scope(&c)
	if !n.counts(len(n.calls)-1) || c.judge() != saysInvalid {
		return k, false
	}
	var conversations []string
	inRow := 0
	for i := len(n.calls) - 1; i >= 0; i-- {
		old := &n.calls[i]
		if n.scope(old) != k || old.Version != c.Version || !n.counts(i) {
			continue
		}
		if old.judge() != saysInvalid {
			break
		}
		inRow++
		if !slices.Contains(conversations, old.Conversation) {
			conversations = append(conversations, old.Conversation)
		}
	}
	if inRow < n.settings.Errors || len(conversations) < n.settings.MinConversations {
		return k, false
	}
	n.disabled[k], n.floors[k] = true, c.Place.Seq
	return k, true
}

// counts reports whether a call advances or resets: it says something of the tool, is no repeat, and its tool is not disabled.
func (n *naive) counts(i int) bool {
	c := &n.calls[i]
	tool, agent := SwitchKey{c.Tool, ""}, SwitchKey{c.Tool, c.Agent}
	if c.judge() == saysNothing || c.Place.Seq <= max(n.floors[tool], n.floors[n.scope(c)]) || n.disabled[tool] || n.disabled[agent] {
		return false
	}
	return !slices.ContainsFunc(n.calls[:i], func(o BreakerCall) bool { return o.ID == c.ID && o.judge() != saysNothing })
}

func (n *naive) scope(c *BreakerCall) SwitchKey {
	if n.settings.Scope == ScopeToolAgent {
		return SwitchKey{c.Tool, c.Agent}
	}
	return SwitchKey{c.Tool, ""}
}

func drawCall(t *rapid.T) BreakerCall {
	c := breakerCall(rapid.SampledFrom([]string{"a", "b"}).Draw(t, "tool"),
		rapid.SampledFrom([]events.Outcome{endInvalid, endInvalid, endInvalid, endOK, endFailed, endRefused}).Draw(t, "outcome"))
	c.Version = rapid.SampledFrom([]string{"v1", "v2"}).Draw(t, "version")
	c.Agent = rapid.SampledFrom([]string{"x", "y"}).Draw(t, "agent")
	c.Conversation = rapid.SampledFrom([]string{"", "1", "2", "3"}).Draw(t, "conversation")
	c.Resolution = rapid.SampledFrom([]events.Resolution{"", events.ResolvedOK, events.ResolvedRenamed, events.ResolvedNotActivated}).Draw(t, "resolution")
	return c
}

// TestTheBreakerDecidesAsANaiveOne holds the breaker, with restarts from what it says it knows, against the rule applied to all calls.
func TestTheBreakerDecidesAsANaiveOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := DefaultBreakerSettings()
		s.Errors = rapid.IntRange(1, 4).Draw(t, "errors")
		s.MinConversations = rapid.IntRange(1, 3).Draw(t, "conversations")
		s.Scope = rapid.SampledFrom([]BreakerScope{ScopeTool, ScopeToolAgent}).Draw(t, "scope")
		f := newFeeder(func(to *BreakerSettings) { *to = s })
		n := &naive{settings: s, floors: map[SwitchKey]uint64{}, disabled: map[SwitchKey]bool{}}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 19).Draw(t, "what") {
			case 0: // a person enables a tool, for all or for an agent
				k := SwitchKey{Key{"shop", rapid.SampledFrom([]string{"a", "b"}).Draw(t, "enabled")}, rapid.SampledFrom([]string{"", "x"}).Draw(t, "for")}
				f.edit(Enable, SwitchEdit{Tool: k.Tool, Agent: k.Agent})
				n.floors[k], n.disabled[k] = f.seq, false
			case 1: // the analyzer is killed, and starts again
				f.restart(t)
			default:
				c := drawCall(t)
				c.ID = breakerID(f.seq + 1)
				if f.seq > 0 && rapid.IntRange(0, 4).Draw(t, "again") == 0 {
					c.ID = breakerID(uint64(rapid.IntRange(1, int(f.seq)).Draw(t, "same as")))
				}
				before := len(f.made)
				f.feed(c)
				c.Place = Place{anyEpoch, f.seq}
				k, trips := n.feed(c)
				if got := len(f.made) > before; got != trips || got && f.made[before].KeyOf() != k {
					t.Fatalf("after call %d: decided %v, want %v", f.seq, got, trips)
				}
			}
		}
	})
}

// restart puts a breaker in place of the feeder's that knows its state and switches, and has read the ids again.
func (f *feeder) restart(t *rapid.T) {
	if f.seq == 0 {
		return
	}
	data, left, err := f.State().Encode(1 << 20)
	if err != nil || left > 0 {
		t.Fatal(left, err)
	}
	st, err := DecodeBreakerState(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(f.State(), st); diff != "" {
		t.Fatal(diff)
	}
	b := NewBreaker(f.settings)
	for i := range f.fed {
		b.Remember(&f.fed[i])
	}
	b.Restore(st)
	for k, s := range f.switches {
		b.SetSwitch(k, s)
	}
	f.Breaker = b
}

// TestStreaksKeepToTheirLimits feeds what nobody sends: the limits hold, and what is counted stays right.
func TestStreaksKeepToTheirLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newStreaks()
		for i := range rapid.IntRange(1, 200).Draw(t, "steps") {
			k := streakKey{SwitchKey{Key{"", fmt.Sprint(rapid.IntRange(0, 5).Draw(t, "tool"))}, ""}, ""}
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0:
				s.end(k)
			case 1:
				s.prune(k, uint64(rapid.IntRange(0, i).Draw(t, "floor")))
			default:
				s.add(k, failure{ID: breakerID(uint64(i)), Seq: uint64(i)}, 0)
			}
			s.check(t)
		}
	})
	s := newStreaks()
	for i := range uint64(MaxStreakErrors + 2*MaxStreaks) {
		s.add(streakKey{SwitchKey{Key{"", fmt.Sprint(i % (MaxStreaks + 5))}, ""}, ""}, failure{ID: breakerID(i), Seq: i, Conversation: fmt.Sprint(i)}, 0)
	}
	s.check(t)
	one := streakKey{SwitchKey{Key{"", "one"}, ""}, ""}
	for i := range uint64(2 * MaxStreak) {
		s.add(one, failure{ID: breakerID(1<<40 + i), Seq: i, Conversation: fmt.Sprint(min(i, 9))}, 0)
	}
	if run := s.all[one].Value.(*streak).run; len(run) != MaxStreak || len(conversationsOf(run)) != 10 {
		t.Errorf("%d errors of %d conversations", len(run), len(conversationsOf(run)))
	}
}

// check counts everything anew.
func (s *streaks) check(t interface{ Fatalf(string, ...any) }) {
	errors := 0
	for _, e := range s.all {
		run := e.Value.(*streak).run
		errors += len(run)
		for _, f := range run {
			if !s.holds(f.ID) {
				t.Fatalf("an id is missing")
			}
		}
		if len(run) == 0 {
			t.Fatalf("an empty streak is kept")
		}
	}
	if errors != s.errors || errors != len(s.ids) || len(s.all) != s.order.Len() || len(s.all) > MaxStreaks || errors > MaxStreakErrors {
		t.Fatalf("%d errors, counted %d, %d ids; %d streaks, %d in order", errors, s.errors, len(s.ids), len(s.all), s.order.Len())
	}
}

func TestAStateThatIsTooLargeLosesItsOldestStreaks(t *testing.T) {
	f := newFeeder()
	for i := range 1000 {
		f.script(fmt.Sprintf("tool%d:err", i))
	}
	whole, _, err := f.State().Encode(1 << 30)
	if err != nil {
		t.Fatal(err)
	}
	data, left, err := f.State().Encode(len(whole) / 3)
	if err != nil || len(data) > len(whole)/3 || left < 600 || left > 800 {
		t.Fatalf("%d bytes of %d, %d streaks left out, error %v", len(data), len(whole), left, err)
	}
	st, err := DecodeBreakerState(data)
	if err != nil || st.Streaks[len(st.Streaks)-1].Tool != "tool999" || len(st.Streaks)+left != 1000 {
		t.Errorf("error %v, %d streaks", err, len(st.Streaks))
	}
	if _, _, err := f.State().Encode(10); err == nil {
		t.Error("ten bytes are enough")
	}
}

func TestARestoredStateKeepsToTheSettings(t *testing.T) {
	f := newFeeder()
	f.script("a:err a:err")
	st := f.State()
	agents := DefaultBreakerSettings()
	agents.Scope = ScopeToolAgent
	b := NewBreaker(agents)
	b.Restore(st)
	if got := b.State(); len(got.Streaks) != 0 || got.Place != st.Place {
		t.Errorf("%+v", got)
	}
}

func FuzzDecodeBreakerState(f *testing.F) {
	f.Add([]byte(`{"epoch":"17","seq":4,"streaks":[{"tool":"a","failures":[{"id":"AAAAAAAAAAAAAAAAAAAAAQ==","seq":1}]}]}`))
	f.Add([]byte(`{"epoch":"17"}`))
	f.Add([]byte(`{`))
	f.Fuzz(func(t *testing.T, data []byte) {
		st, err := DecodeBreakerState(data)
		if err != nil {
			return
		}
		b := NewBreaker(DefaultBreakerSettings())
		b.Restore(st)
		b.streaks.check(t)
	})
}

func FuzzDecodeSwitch(f *testing.F) {
	f.Add([]byte(`{"tool":"a","state":"disabled","since":"2026-03-01T12:00:00Z","by":"ada","reason":"r"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := DecodeSwitch(data)
		if err != nil || s == nil {
			return
		}
		again, err := s.Encode()
		if err != nil {
			t.Skip(err) // a year that JSON can't have
		}
		if back, err := DecodeSwitch(again); err != nil || !cmp.Equal(s, back) {
			t.Errorf("%v: %s", err, cmp.Diff(s, back))
		}
	})
}
