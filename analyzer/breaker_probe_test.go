package analyzer_test

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/stream"
)

func TestAProbeEnablesAToolOrDisablesItAgain(t *testing.T) {
	s := startNATS(t)
	js := s.connect()
	who := newPeople()
	rules := func() drift.BreakerSettings {
		r := drift.DefaultBreakerSettings()
		r.CoolDown = time.Millisecond
		return r
	}
	b := runBreaker(t, s, func(o *breakerOptions) { o.rules, o.people = rules, who })
	awaitState(t, js, drift.SwitchDisabled, sendCalls(t, js, "err err err"))
	claim(t, js)
	seq := sendCalls(t, js, "refused err")
	got := awaitState(t, js, drift.SwitchDisabled, seq)
	if got.ProbeBy != "" || got.By != drift.ByBreaker || got.ProbeAfter.IsZero() {
		t.Errorf("after a probe that failed: %+v", got)
	}
	claim(t, js)
	seq = sendCalls(t, js, "ok")
	got = awaitState(t, js, drift.SwitchEnabled, seq)
	if got.By != drift.ByProbe {
		t.Errorf("after a probe that went well: %+v", got)
	}
	eventually(t, "the finding is resolved", func() bool {
		who.mu.Lock()
		defer who.mu.Unlock()
		return len(who.states) > 0 && who.states[len(who.states)-1] == "resolved"
	})
	if n := who.told(); n != 1 {
		t.Errorf("told %d times", n)
	}
	for state, want := range map[string]float64{"enabled": 1, "disabled": 1} {
		eventually(t, "probes are counted", func() bool { return testutil.ToFloat64(b.metrics.Probes.WithLabelValues(state)) == want })
	}
	eventually(t, "the switch is counted", func() bool { return testutil.ToFloat64(b.metrics.Switches.WithLabelValues("enabled")) == 1 })
}

// claim claims the probe of shop/order as a client does.
func claim(t *testing.T, js jetstream.JetStream) {
	t.Helper()
	claimed := false
	eventually(t, "the probe is claimed", func() bool {
		_, err := stream.NewBucket(js, stream.BreakerBucket).Change(t.Context(), orderKey, func(old []byte) ([]byte, error) {
			was, err := drift.DecodeSwitch(old)
			if err != nil {
				return nil, err
			}
			is := drift.ClaimProbe(was, "client-1", time.Now())
			if claimed = is != nil; !claimed {
				return nil, nil
			}
			return is.Encode()
		})
		if err != nil {
			t.Fatal(err)
		}
		return claimed
	})
}
