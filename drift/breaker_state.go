package drift

import (
	"errors"
	"fmt"
	"math"

	"github.com/go-json-experiment/json"
)

// BreakerState is what a breaker has to know to go on behind a place in the event stream: its streaks. The ids of other calls are not part
// of it; who goes on reads some calls before the place again for them ([Breaker.Remember]).
type BreakerState struct {
	Place
	// Streaks are those that are not empty, by when they were last added to, the longest ago first.
	Streaks []StreakState `json:"streaks,omitzero"`
}

// StreakState is one streak.
type StreakState struct {
	Server   string         `json:"server,omitzero"`
	Tool     string         `json:"tool"`
	Agent    string         `json:"agent,omitzero"`
	Version  string         `json:"version,omitzero"`
	Failures []FailureState `json:"failures"`
}

// FailureState is one validation error of a streak.
type FailureState struct {
	ID           [16]byte `json:"id"`
	Seq          uint64   `json:"seq"`
	Conversation string   `json:"conversation,omitzero"`
}

// State returns what the breaker knows.
func (b *Breaker) State() BreakerState {
	st := BreakerState{Place: b.place}
	for e := b.streaks.order.Front(); e != nil; e = e.Next() {
		t := e.Value.(*streak)
		s := StreakState{Server: t.key.Server, Tool: t.key.Tool, Agent: t.key.Agent, Version: t.key.Version}
		for _, f := range t.run {
			s.Failures = append(s.Failures, FailureState(f))
		}
		st.Streaks = append(st.Streaks, s)
	}
	return st
}

// Restore makes the breaker go on where another one was.
func (b *Breaker) Restore(st BreakerState) {
	b.Reset(st.Place)
	for _, s := range st.Streaks {
		k := streakKey{SwitchKey{Key{s.Server, s.Tool}, s.Agent}, s.Version}
		if (b.settings.Of(k.Key).Scope == ScopeToolAgent) != (s.Agent != "") {
			continue // the scope was changed meanwhile
		}
		for _, f := range s.Failures {
			b.streaks.add(k, failure(f), 0)
		}
	}
}

// Encode returns the state as JSON of at most limit bytes; streaks that do not fit are left out, those that were added to longest ago first.
// It returns how many.
func (st BreakerState) Encode(limit int) (data []byte, left int, err error) {
	all := len(st.Streaks)
	for {
		data, err = json.Marshal(&st)
		if err != nil {
			return nil, 0, fmt.Errorf("encode breaker state: %w", err)
		}
		if len(data) <= limit {
			return data, all - len(st.Streaks), nil
		}
		if len(st.Streaks) == 0 {
			return nil, 0, fmt.Errorf("encode breaker state: %d bytes, at most %d", len(data), limit)
		}
		// The share that does not fit goes, and a little more.
		over := float64(len(data)-limit) / float64(len(data)) * 1.1
		st.Streaks = st.Streaks[min(len(st.Streaks), int(math.Ceil(over*float64(len(st.Streaks))))):]
	}
}

// DecodeBreakerState reads what [BreakerState.Encode] wrote.
func DecodeBreakerState(data []byte) (BreakerState, error) {
	var st BreakerState
	if err := json.Unmarshal(data, &st); err != nil {
		return BreakerState{}, fmt.Errorf("decode breaker state: %w", err)
	}
	if st.Epoch == "" {
		return BreakerState{}, errors.New("decode breaker state: /epoch: missing")
	}
	for i, s := range st.Streaks {
		if s.Tool == "" || len(s.Failures) == 0 {
			return BreakerState{}, fmt.Errorf("decode breaker state: /streaks/%d: no tool or no failures", i)
		}
	}
	return st, nil
}
