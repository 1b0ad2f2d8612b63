package analyzer_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/stream"
)

func TestThreeErrorsInTheStreamDisableATool(t *testing.T) {
	s := startNATS(t)
	js := s.connect()
	who := newPeople()
	b := runBreaker(t, s, func(o *breakerOptions) { o.people = who })
	sendCalls(t, js, "err err ok refused err err")
	seq := sendCalls(t, js, "err")
	got := awaitState(t, js, drift.SwitchDisabled, seq)
	if got.By != drift.ByBreaker || got.ErrorCount != 3 || got.Version != "v2" || got.Reason != "3 validation errors in a row" || !got.Refuses(time.Now()) {
		t.Errorf("%+v", got)
	}
	eventually(t, "people are told", func() bool { return switchOf(t, js).Told })
	who.mu.Lock()
	defer who.mu.Unlock()
	if len(who.published) != 1 || len(who.kept) != 1 {
		t.Fatalf("%d published, %d kept", len(who.published), len(who.kept))
	}
	f := who.published[0]
	if f.Rule != drift.RuleToolDisabled || f.Severity != finding.Critical || f.Numbers["errors"] != 3 || f.Numbers["conversations"] != 1 || !f.FirstSeen.Equal(got.Since) {
		t.Errorf("%+v", f)
	}
	if _, ok := who.kept[f.Fingerprint]; !ok {
		t.Error("another finding was kept")
	}
	if n := testutil.ToFloat64(b.metrics.Trips.WithLabelValues("disabled")); n != 1 {
		t.Errorf("%v trips", n)
	}
	if n := testutil.ToFloat64(b.metrics.Calls.WithLabelValues("counted")); n != 6 {
		t.Errorf("%v calls counted", n)
	}
}

func TestAMessageOfManyCallsIsReadInOrder(t *testing.T) {
	s := startNATS(t)
	js := s.connect()
	b := runBreaker(t, s)
	id := uuid.NewString()
	broken := append(line(t, uuid.NewString(), orderCall(words["err"])), '}')
	send(t, js,
		line(t, uuid.NewString(), orderCall(words["err"])), line(t, id, orderCall(words["ok"])), line(t, uuid.NewString(), orderCall(words["err"])),
		[]byte("no event"), broken, line(t, "no-uuid", orderCall(words["err"])), line(t, id, orderCall(words["ok"])),
		line(t, uuid.NewString(), orderCall(words["err"])))
	seq := sendCalls(t, js, "err")
	awaitState(t, js, drift.SwitchDisabled, seq)
	if n := testutil.ToFloat64(b.metrics.DecodeErrors); n != 3 {
		t.Errorf("%v decode errors", n)
	}
	if n := testutil.ToFloat64(b.metrics.Calls.WithLabelValues("duplicate")); n != 1 {
		t.Errorf("%v duplicates", n)
	}
}

func TestCallsThatNobodyJudgedAreHeldAgainstTheRegistry(t *testing.T) {
	s := startNATS(t)
	js := s.connect()
	put(t, js, stream.RegistryBucket, registryDocument(t), "shop", "order")
	runBreaker(t, s)
	unjudged := func(c *events.ToolCall) {
		c.ActiveVersion, c.ValidationErrors, c.Arguments = "", nil, []byte(`{"amount":3}`)
	}
	var seq uint64
	for range 3 {
		seq = send(t, js, line(t, uuid.NewString(), orderCall(events.OutcomeExecutionError, unjudged)))
	}
	got := awaitState(t, js, drift.SwitchDisabled, seq)
	if got.Version != "v2" || len(got.Errors) == 0 {
		t.Errorf("%+v", got)
	}
}

func TestWhatNobodyPlacedIsNotHeldAgainstAnotherAgentsDefinition(t *testing.T) {
	s := startNATS(t)
	js := s.connect()
	put(t, js, stream.RegistryBucket, strings.Replace(registryDocument(t), `"server":"shop",`, "", 1), "", "order")
	put(t, js, stream.RegistryBucket, registryDocument(t), "shop", "order")
	runBreaker(t, s)
	bare := func(c *events.ToolCall) {
		c.Server, c.Resolution, c.ActiveVersion, c.ValidationErrors, c.Arguments = "", "", "", nil, []byte(`{"amount":3}`)
	}
	timeout := func(c *events.ToolCall) {
		bare(c)
		c.Server, c.ErrorType = "shop", "timeout"
	}
	for range 3 {
		send(t, js, line(t, uuid.NewString(), orderCall(events.OutcomeExecutionError, bare)))
		send(t, js, line(t, uuid.NewString(), orderCall(events.OutcomeExecutionError, timeout)))
	}
	var seq uint64
	prefixed := func(c *events.ToolCall) {
		bare(c)
		c.ToolName = "mcp__shop__order"
	}
	for range 3 {
		seq = send(t, js, line(t, uuid.NewString(), orderCall(events.OutcomeExecutionError, prefixed)))
	}
	if got := awaitState(t, js, drift.SwitchDisabled, seq); got.Server != "shop" || got.ErrorCount != 3 {
		t.Errorf("%+v", got)
	}
	bucket := stream.NewBucket(js, stream.BreakerBucket)
	key, err := stream.Key("", "order")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bucket.Get(t.Context(), key); !errors.Is(err, stream.ErrNoKey) {
		t.Errorf("an agent's own tool has a switch: %v", err)
	}
}

// registryDocument is a document of shop/order, whose calls need a quantity.
func registryDocument(t *testing.T) string {
	t.Helper()
	d := drift.NewDocument(drift.Key{Server: "shop", Tool: "order"})
	_, err := d.Register(&events.ToolDefinition{
		Server: "shop", ToolName: "order", SchemaVersion: "v2", Definition: []byte(
			`{"name":"order","inputSchema":{"type":"object","properties":{"quantity":{"type":"integer"}},"required":["quantity"]}}`),
	}, "ada", time.Now(), drift.StateActive)
	if err != nil {
		t.Fatal(err)
	}
	data, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
