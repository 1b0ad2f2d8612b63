package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/store"
	"github.com/tooltrail/tooltrail/stream"
)

// TestTheBreakerSurvivesKillsOfItsProcesses kills an analyzer between the second error and the third, and right behind the decision, and NATS and
// one of two analyzers after a person enabled the tool. The switch is each time what it would have been undisturbed, and people are told.
func TestTheBreakerSurvivesKillsOfItsProcesses(t *testing.T) {
	s := newSite(t, 1)
	js := s.jetStream()
	waitFor(t, time.Minute, "the stream to be there", func() bool {
		_, err := js.Stream(t.Context(), stream.Name)
		return err == nil
	})
	db := s.openStore(t.Context())
	first := s.startAnalyzer()

	failCall(t, js)
	failCall(t, js)
	waitFor(t, time.Minute, "two calls to be read", func() bool {
		return strings.Contains(metricsOf(t, first), `tooltrail_breaker_calls_total{result="counted"} 2`+"\n")
	})
	first.kill()
	first.start()
	third := failCall(t, js)
	decided := s.awaitSwitch(js, drift.SwitchDisabled, third)
	first.kill()
	first.start()
	waitFor(t, time.Minute, "people to be told", func() bool { return readSwitch(t, js).Told })
	if now := readSwitch(t, js); now.Seq != third || now.ErrorCount != 3 || !now.Since.Equal(decided.Since) {
		t.Errorf("decided %+v, after a restart %+v", decided, now)
	}
	s.keptFinding(db, finding.Open)

	second := s.startAnalyzer()
	enableOrder(t, js)
	s.keptFinding(db, finding.Resolved)
	s.nats.kill()
	s.nats.start()
	s.nats.waitReady()
	failCall(t, js)
	second.kill()
	failCall(t, js)
	second.start()
	waitFor(t, time.Minute, "the calls to be read", func() bool { return checkpointOf(t, js).Seq >= third+2 })
	if now := readSwitch(t, js); now.State != drift.SwitchEnabled || now.By != "ada" {
		t.Errorf("it did not stay enabled: %+v", now)
	}
	s.awaitSwitch(js, drift.SwitchDisabled, failCall(t, js))
	s.keptFinding(db, finding.Open)
}

// failCall publishes a call of shop/order that failed validation and returns its sequence.
func failCall(t *testing.T, js jetstream.JetStream) (seq uint64) {
	t.Helper()
	return failCallOf(t, js, "order")
}

// failCallOf has a call of a tool of shop fail validation.
func failCallOf(t *testing.T, js jetstream.JetStream, tool string) (seq uint64) {
	t.Helper()
	line, err := events.AppendEvent(nil, &events.Event{ID: uuid.NewString(), Source: "test/agent", Time: time.Now(), Data: &events.ToolCall{
		Context: events.Context{ConversationID: "c1"}, ToolName: tool, Server: "shop", ActiveVersion: "v2", Outcome: events.OutcomeValidationError,
		ValidationErrors: []events.ValidationError{{Path: "/quantity", Keyword: "required"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	id := uuid.NewString()
	waitFor(t, time.Minute, "the stream to take a call", func() bool {
		ack, err := js.Publish(t.Context(), events.Subject(0, events.KindToolCall), line, jetstream.WithMsgID(id))
		if err != nil {
			return false
		}
		seq = ack.Sequence
		return true
	})
	return seq
}

// readSwitch reads the switch of shop/order; one that is not there has no state.
func readSwitch(t *testing.T, js jetstream.JetStream) drift.Switch {
	t.Helper()
	e, err := stream.NewBucket(js, stream.BreakerBucket).Get(t.Context(), "shop.order")
	if err != nil {
		return drift.Switch{}
	}
	sw, err := drift.DecodeSwitch(e.Value)
	if err != nil {
		t.Fatal(err)
	}
	return *sw
}

func (s *site) awaitSwitch(js jetstream.JetStream, state drift.SwitchState, seq uint64) (now drift.Switch) {
	s.t.Helper()
	waitFor(s.t, time.Minute, "the tool to be "+string(state), func() bool {
		now = readSwitch(s.t, js)
		return now.State == state && now.Seq == seq
	})
	return now
}

// keptFinding waits for the one finding on shop/order to be in a state.
func (s *site) keptFinding(db *store.DB, state finding.State) {
	s.t.Helper()
	waitFor(s.t, time.Minute, "the finding to be "+string(state), func() bool {
		all, err := db.Findings(s.t.Context(), store.FindingFilter{Rule: drift.RuleToolDisabled})
		return err == nil && len(all) == 1 && all[0].State == state
	})
}

func checkpointOf(t *testing.T, js jetstream.JetStream) (st drift.BreakerState) {
	t.Helper()
	e, err := stream.NewBucket(js, stream.BreakerBucket).Get(t.Context(), "_checkpoint")
	if err != nil {
		return st
	}
	if st, err = drift.DecodeBreakerState(e.Value); err != nil {
		t.Fatal(err)
	}
	return st
}

// enableOrder does what tooltrail tools enable does.
func enableOrder(t *testing.T, js jetstream.JetStream) {
	t.Helper()
	st, err := js.Stream(t.Context(), stream.Name)
	if err != nil {
		t.Fatal(err)
	}
	e := drift.SwitchEdit{
		Server: "shop", Tool: "order", By: "ada", Reason: "fixed", At: time.Now(),
		Place: drift.Place{Epoch: stream.EpochOf(st.CachedInfo()), Seq: st.CachedInfo().State.LastSeq},
	}
	_, err = stream.NewBucket(js, stream.BreakerBucket).Change(t.Context(), "shop.order", func(old []byte) ([]byte, error) {
		was, err := drift.DecodeSwitch(old)
		if err != nil {
			return nil, err
		}
		is, err := drift.Enable(was, e)
		if err != nil {
			return nil, err
		}
		return is.Encode()
	})
	if err != nil {
		t.Fatal(err)
	}
}
