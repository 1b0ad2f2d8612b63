package analyzer_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/stream"
)

// stormDeadline is when people know of the one tool at the latest. 3,000 switches took half a minute.
const stormDeadline = 10 * time.Second

// TestAStormOverMadeUpToolsLeavesTheBreakerToThoseThatAreRegistered sends what would be 3,000 switches, and then what disables one tool that
// there is.
func TestAStormOverMadeUpToolsLeavesTheBreakerToThoseThatAreRegistered(t *testing.T) {
	const tools = 3000
	s := startNATS(t)
	js := s.connect()
	put(t, js, stream.RegistryBucket, registryDocument(t), "shop", "order")
	who := newPeople()
	b := runBreaker(t, s, func(o *breakerOptions) { o.people = who })
	sendStorm(t, js, tools)
	seq, sent := sendCalls(t, js, "err err err"), time.Now()
	awaitState(t, js, drift.SwitchDisabled, seq)
	eventually(t, "people are told of the tool that there is", func() bool { return switchOf(t, js).Told })
	if d := time.Since(sent); d > stormDeadline {
		t.Errorf("told %s later, want %s at most", d, stormDeadline)
	} else {
		t.Logf("told %s later", d)
	}
	most := drift.DefaultBreakerSettings().MaxUnregistered
	if n := switches(t, js); n != most+1 {
		t.Errorf("%d switches, want %d", n, most+1)
	}
	if n := testutil.ToFloat64(b.metrics.Unregistered); n != float64(tools-most) {
		t.Errorf("%v left out, want %d", n, tools-most)
	}
}

func TestToolsThatNobodyRegisteredAreDisabledAgainOnceOthersWereEnabled(t *testing.T) {
	s := startNATS(t)
	js := s.connect()
	b := runBreaker(t, s, func(o *breakerOptions) {
		rules := drift.DefaultBreakerSettings()
		rules.MaxUnregistered = 1
		o.rules = func() drift.BreakerSettings { return rules }
	})
	sendStorm(t, js, 1)
	sendCalls(t, js, "err err err")
	eventually(t, "the second is left out", func() bool { return testutil.ToFloat64(b.metrics.Unregistered) == 1 })
	edit(t, js, "shop.made-up-0", func(sw *drift.Switch) { sw.State, sw.By = drift.SwitchEnabled, "ada" })
	eventually(t, "the second is disabled", func() bool {
		sendCalls(t, js, "err")
		sw := switchOf(t, js)
		return sw != nil && sw.State == drift.SwitchDisabled
	})
}

func TestNoToolIsDisabledThatNobodyRegisteredWhereTheSettingsSaySo(t *testing.T) {
	s := startNATS(t)
	js := s.connect()
	b := runBreaker(t, s, func(o *breakerOptions) {
		rules := drift.DefaultBreakerSettings()
		rules.MaxUnregistered = 0
		o.rules = func() drift.BreakerSettings { return rules }
	})
	sendCalls(t, js, "err err err err")
	eventually(t, "two errors are left out", func() bool { return testutil.ToFloat64(b.metrics.Unregistered) == 2 })
	if n := switches(t, js); n != 0 {
		t.Errorf("%d switches", n)
	}
}

// sendStorm sends three errors of each of many tools, a tool after the other.
func sendStorm(t *testing.T, js jetstream.JetStream, tools int) {
	t.Helper()
	var lines [][]byte
	for i := range tools {
		for range 3 {
			made := orderCall(events.OutcomeValidationError, func(c *events.ToolCall) { c.ToolName = fmt.Sprintf("made-up-%d", i) })
			lines = append(lines, line(t, uuid.NewString(), made))
		}
		if len(lines) >= 600 || i == tools-1 {
			send(t, js, lines...)
			lines = nil
		}
	}
}

// switches counts the tools that have one.
func switches(t *testing.T, js jetstream.JetStream) int {
	t.Helper()
	all, err := stream.NewBucket(js, stream.BreakerBucket).All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// edit changes a switch as a hand does.
func edit(t *testing.T, js jetstream.JetStream, key string, change func(*drift.Switch)) {
	t.Helper()
	_, err := stream.NewBucket(js, stream.BreakerBucket).Change(t.Context(), key, func(old []byte) ([]byte, error) {
		sw, err := drift.DecodeSwitch(old)
		if err != nil {
			return nil, err
		}
		if sw == nil {
			sw = &drift.Switch{Server: "shop", Tool: "order", State: drift.SwitchEnabled, By: "ada"}
		}
		change(sw)
		return sw.Encode()
	})
	if err != nil {
		t.Fatal(err)
	}
}
