package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/ingest"
	"github.com/tooltrail/tooltrail/metrics"
	"github.com/tooltrail/tooltrail/stream"
)

var order = drift.Key{Server: "orders", Tool: "create_order"}

// judge is a classifier with a registrar.
type judge struct {
	*ingest.Classifier
	registrar *ingest.Registrar
	metrics   *metrics.Ingest
}

func newJudge(b ingest.RegistryBucket) *judge {
	j := &judge{Classifier: ingest.NewClassifier(slog.New(slog.DiscardHandler)), metrics: metrics.NewIngest(prometheus.NewRegistry())}
	j.registrar = ingest.NewRegistrar(j.Classifier, b, j.metrics, slog.New(slog.DiscardHandler))
	return j
}

// start runs a registrar until the test ends, or until what it returns is called.
func (j *judge) start(t *testing.T) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- j.registrar.Run(ctx) }()
	stop = func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("it ended with %v", err)
		}
		done <- nil
	}
	t.Cleanup(stop)
	return stop
}

func startJudge(t *testing.T, js jetstream.JetStream) *judge {
	t.Helper()
	j := newJudge(stream.NewBucket(js, stream.RegistryBucket))
	j.start(t)
	return j
}

// buckets makes streams and buckets and returns the registry's.
func buckets(t *testing.T, js jetstream.JetStream) *stream.Bucket {
	t.Helper()
	if err := stream.Ensure(t.Context(), js, stream.DefaultConfig()); err != nil {
		t.Fatal(err)
	}
	return stream.NewBucket(js, stream.RegistryBucket)
}

// version is a definition of a tool whose schema requires a field named after the version.
func version(k drift.Key, name string) *events.ToolDefinition {
	d := &events.ToolDefinition{
		ToolName: k.Tool, Server: k.Server, SchemaVersion: name,
		Definition: fmt.Appendf(nil, `{"name":%q,"inputSchema":{"type":"object","properties":{%q:{"type":"string"}},"required":[%q],"additionalProperties":false}}`, k.Tool, name, name),
	}
	digests, err := events.Digester{}.Tool(d.Definition)
	if err != nil {
		panic(err)
	}
	d.WireDigest, d.DefinitionDigest, d.SchemaDigest = digests.Wire, digests.Definition, digests.Schema
	return d
}

var morning = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)

func (j *judge) saw(minute int, d *events.ToolDefinition) {
	j.Enrich(&events.Event{Time: morning.Add(time.Duration(minute) * time.Minute), Data: d})
}

// class is what a call is that fits a version.
func (j *judge) class(k drift.Key, version, conversation string) (class events.DriftClass, active, cohort string) {
	c := &events.ToolCall{
		Context:  events.Context{ConversationID: conversation},
		ToolName: k.Tool, Server: k.Server, Outcome: events.OutcomeOK, Arguments: fmt.Appendf(nil, `{%q:"x"}`, version),
	}
	j.Enrich(&events.Event{Time: morning, Data: c})
	return c.DriftClass, c.ActiveVersion, c.Cohort
}

// stored returns what the bucket has of a tool, nil when it has nothing.
func inBucket(t *testing.T, b *stream.Bucket, k drift.Key) *drift.Document {
	t.Helper()
	key, err := stream.Key(k.Server, k.Tool)
	if err != nil {
		t.Fatal(err)
	}
	e, err := b.Get(t.Context(), key)
	if errors.Is(err, stream.ErrNoKey) || errors.Is(err, jetstream.ErrBucketNotFound) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	d, err := drift.DecodeDocument(e.Value)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// states are a document's versions and their states, in their order.
func states(d *drift.Document) string {
	if d == nil {
		return ""
	}
	s := ""
	for _, v := range d.Versions {
		s += v.Version + " " + string(v.State) + "; "
	}
	return s
}

// edit changes a document in the bucket as a person does.
func edit(t *testing.T, b *stream.Bucket, k drift.Key, change func(d *drift.Document) error) {
	t.Helper()
	key, err := stream.Key(k.Server, k.Tool)
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.Change(t.Context(), key, func(old []byte) ([]byte, error) {
		d := drift.NewDocument(k)
		if old != nil {
			if d, err = drift.DecodeDocument(old); err != nil {
				return nil, err
			}
		}
		if err := change(d); err != nil {
			return nil, err
		}
		return d.Encode()
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestADefinitionGoesIntoTheBucketAndEveryIngesterKnowsIt(t *testing.T) {
	js := startBroker(t).connect()
	b := buckets(t, js)
	first, second := startJudge(t, js), startJudge(t, js)
	first.saw(0, version(order, "v1"))
	if class, active, _ := first.class(order, "v1", ""); class != events.DriftCurrent || active != "v1" {
		t.Errorf("right behind its definition a call is %q by %q", class, active)
	}
	first.saw(1, version(order, "v2"))
	const want = "v1 legacy; v2 active; "
	eventually(t, "the bucket has both versions", func() bool { return states(inBucket(t, b, order)) == want })
	d := inBucket(t, b, order)
	if v := d.Versions[1]; v.RegisteredBy != "ingest" || !v.RegisteredAt.Equal(morning.Add(time.Minute)) || d.Managed {
		t.Errorf("registered by %q at %s", v.RegisteredBy, v.RegisteredAt)
	}
	eventually(t, "the second ingester knows them", func() bool {
		_, active, _ := second.class(order, "v2", "")
		return active == "v2"
	})
	if class, _, _ := second.class(order, "v1", ""); class != events.DriftOldVersion {
		t.Errorf("a call of the old version is %q", class)
	}
	eventually(t, "nothing waits", func() bool { return testutil.ToFloat64(first.metrics.RegistryWaiting) == 0 })
	if n := testutil.ToFloat64(second.metrics.RegistryWrites.WithLabelValues("written")); n != 0 {
		t.Errorf("the second ingester wrote %v times", n)
	}
}

func TestTwoIngestersWithTheSameDefinitionsAgreeAndStop(t *testing.T) {
	js := startBroker(t).connect()
	b := buckets(t, js)
	judges := []*judge{startJudge(t, js), startJudge(t, js)}
	const tools, versions = 20, 4
	for n := range tools * versions {
		for i, j := range judges {
			tool := (n*7 + i*3) % tools // each in another order
			j.saw(n, version(drift.Key{Server: "s", Tool: fmt.Sprint("t", tool)}, fmt.Sprint("v", n/tools)))
		}
	}
	eventually(t, "nothing waits", func() bool {
		return testutil.ToFloat64(judges[0].metrics.RegistryWaiting)+testutil.ToFloat64(judges[1].metrics.RegistryWaiting) == 0
	})
	for n := range tools {
		k := drift.Key{Server: "s", Tool: fmt.Sprint("t", n)}
		want := inBucket(t, b, k)
		if len(want.Versions) != versions {
			t.Errorf("%s: %s", k, states(want))
		}
		for i, j := range judges {
			eventually(t, "they agree", func() bool { return states(j.Registry().Document(k)) == states(want) })
			_ = i
		}
	}
	before := revisions(t, b)
	for _, j := range judges {
		j.saw(0, version(drift.Key{Server: "s", Tool: "t0"}, "v0"))
	}
	if after := revisions(t, b); after != before {
		t.Errorf("the bucket went from %d to %d for definitions that it has", before, after)
	}
}

func revisions(t *testing.T, b *stream.Bucket) (last uint64) {
	t.Helper()
	all, err := b.All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		last = max(last, e.Revision)
	}
	return last
}

func TestADocumentThatPeopleDecideOnIsNotOverruled(t *testing.T) {
	js := startBroker(t).connect()
	b := buckets(t, js)
	edit(t, b, order, func(d *drift.Document) error {
		_, err := d.Register(version(order, "v1"), "ada", morning, drift.StateActive)
		return err
	})
	j := startJudge(t, js)
	j.saw(5, version(order, "v2"))
	eventually(t, "the bucket has the definition", func() bool { return states(inBucket(t, b, order)) == "v1 active; v2 legacy; " })
	eventually(t, "the ingester judges by what people decided", func() bool {
		_, active, _ := j.class(order, "v1", "")
		return active == "v1"
	})
	edit(t, b, order, func(d *drift.Document) error {
		_, err := d.StartCanary("v2", 0.5, "k", drift.Edit{At: morning, By: "ada"})
		return err
	})
	share := (&drift.Canary{Share: 0.5, HashKey: "k"})
	eventually(t, "a canary is under way", func() bool {
		_, _, cohort := j.class(order, "v1", "c")
		return cohort != ""
	})
	for n := range 20 {
		conversation, active, cohort := fmt.Sprint("c", n), "v1", drift.CohortBaseline
		if share.Chooses(conversation) {
			active, cohort = "v2", drift.CohortCanary
		}
		if class, by, in := j.class(order, active, conversation); class != events.DriftCurrent || by != active || in != cohort {
			t.Errorf("%s: %q by %q in %q, want %q in %q", conversation, class, by, in, active, cohort)
		}
	}
}

func TestDefinitionsWaitForABucketThatIsAway(t *testing.T) {
	broker := startBroker(t)
	js := broker.connect()
	b := buckets(t, js)
	j := startJudge(t, js)
	j.saw(0, version(order, "v1"))
	eventually(t, "it is there", func() bool { return inBucket(t, b, order) != nil })
	broker.stop()
	for n := range 5 {
		j.saw(n, version(order, fmt.Sprint("w", n)))
	}
	if class, active, _ := j.class(order, "w4", ""); class != events.DriftCurrent || active != "w4" {
		t.Errorf("a call is %q by %q while the bucket is away", class, active)
	}
	if n := testutil.ToFloat64(j.metrics.RegistryWaiting); n != 1 {
		t.Errorf("%v tools wait, want 1", n)
	}
	broker.start()
	eventually(t, "it is written", func() bool {
		d := j.Registry().Document(order)
		return testutil.ToFloat64(j.metrics.RegistryWaiting) == 0 && states(inBucket(t, b, order)) == states(d)
	})
	if d := inBucket(t, b, order); len(d.Versions) != 6 || d.Active().Version != "w4" {
		t.Errorf("have %s", states(d))
	}
	if n := testutil.ToFloat64(j.metrics.RegistryWrites.WithLabelValues("written")); n > 3 {
		t.Errorf("%v writes, want what waited in one", n)
	}
}

func TestABucketThatIsMadeAnewIsFilledAgain(t *testing.T) {
	js := startBroker(t).connect()
	b := buckets(t, js)
	j := startJudge(t, js)
	for n := range 3 {
		j.saw(n, version(drift.Key{Server: "s", Tool: fmt.Sprint("t", n)}, "v1"))
	}
	j.saw(0, version(order, "v1"))
	eventually(t, "it is there", func() bool { return inBucket(t, b, order) != nil })
	edit(t, b, order, func(d *drift.Document) error {
		_, err := d.SetOwner("orders team", drift.Edit{At: morning, By: "ada"})
		return err
	})
	eventually(t, "the edit came", func() bool { return j.Registry().Document(order).Owner != "" })
	if err := js.DeleteKeyValue(t.Context(), stream.RegistryBucket); err != nil {
		t.Fatal(err)
	}
	buckets(t, js)
	eventually(t, "all is back", func() bool {
		keys, err := b.Keys(t.Context())
		return err == nil && len(keys) == 4
	})
	d := inBucket(t, b, order)
	if d.Owner != "orders team" || states(d) != "v1 active; " || d.Edit.By != "ingest" {
		t.Errorf("have owner %q, %s, by %q", d.Owner, states(d), d.Edit.By)
	}
}

func TestAToolThatSomebodyTookAwayIsNotKnownAnyMore(t *testing.T) {
	js := startBroker(t).connect()
	b := buckets(t, js)
	j := startJudge(t, js)
	j.saw(0, version(order, "v1"))
	eventually(t, "it is there", func() bool { return inBucket(t, b, order) != nil })
	kv, err := js.KeyValue(t.Context(), stream.RegistryBucket)
	if err != nil {
		t.Fatal(err)
	}
	if err := kv.Delete(t.Context(), "orders.create_order"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is forgotten", func() bool { return j.Registry().Document(order) == nil })
	late := startJudge(t, js)
	late.saw(0, version(drift.Key{Tool: "other"}, "v1"))
	eventually(t, "another one is written", func() bool { return inBucket(t, b, drift.Key{Tool: "other"}) != nil })
	if d := inBucket(t, b, order); d != nil {
		t.Error("it is back")
	}
}

func TestGarbageInTheBucketHoldsUpNobody(t *testing.T) {
	js := startBroker(t).connect()
	b := buckets(t, js)
	j := startJudge(t, js)
	j.saw(0, version(order, "v1"))
	eventually(t, "it is there", func() bool { return inBucket(t, b, order) != nil })
	if _, err := b.Change(t.Context(), "orders.create_order", func([]byte) ([]byte, error) { return []byte(`{"tool":`), nil }); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is counted", func() bool { return testutil.ToFloat64(j.metrics.RegistryErrors) == 1 })
	if class, _, _ := j.class(order, "v1", ""); class != events.DriftCurrent {
		t.Errorf("the last good document does not serve on: %q", class)
	}
	j.saw(1, version(order, "v2"))
	eventually(t, "writing is given up", func() bool { return testutil.ToFloat64(j.metrics.RegistryWrites.WithLabelValues("refused")) == 1 })
	other := drift.Key{Tool: "other"}
	j.saw(1, version(other, "v1"))
	eventually(t, "others are written", func() bool { return inBucket(t, b, other) != nil })
}

func TestADefinitionThatCannotBeUsedIsNotWritten(t *testing.T) {
	js := startBroker(t).connect()
	b := buckets(t, js)
	j := startJudge(t, js)
	bad := version(order, "v1")
	bad.Definition = []byte(`{"name":"create_order","inputSchema":{"$ref":"https://example.com/s"}}`)
	j.saw(0, bad)
	long := drift.Key{Server: string(make([]byte, 600)), Tool: "t"}
	j.saw(0, version(long, "v1"))
	j.saw(1, version(drift.Key{Tool: "other"}, "v1"))
	eventually(t, "others are written", func() bool { return inBucket(t, b, drift.Key{Tool: "other"}) != nil })
	if d := inBucket(t, b, order); d != nil {
		t.Errorf("have %s", states(d))
	}
	if n := testutil.ToFloat64(j.metrics.RegistryRefused); n != 2 {
		t.Errorf("%v refused definitions are counted, want 2", n)
	}
}

func TestARestartWithAnEmptyBucketFillsItFromTheStore(t *testing.T) {
	db, js := openStore(t), startBroker(t).connect()
	const lane = "1/tooltrail.v1.0.tool_definition"
	var rows []events.Row
	for n, d := range []*events.ToolDefinition{version(order, "v2"), version(order, "v1"), version(drift.Key{Tool: "own"}, "v1"), version(order, "v3")} {
		at := morning.Add(time.Duration([]int{20, 10, 15, 30}[n]) * time.Minute)
		rows = append(rows, events.Row{Seq: uint64(n + 1), Event: &events.Event{ID: callID(n).String(), Source: "agent/test", Time: at, Data: d}})
	}
	if err := db.Insert(t.Context(), lane, lane+"@0", rows); err != nil {
		t.Fatal(err)
	}
	for name, before := range map[string]bool{"the bucket is there before": true, "the bucket comes later": false} {
		t.Run(name, func(t *testing.T) {
			if before {
				buckets(t, js)
			}
			j := newJudge(stream.NewBucket(js, stream.RegistryBucket))
			if err := j.Load(t.Context(), db); err != nil {
				t.Fatal(err)
			}
			if class, active, _ := j.class(order, "v3", ""); class != events.DriftCurrent || active != "v3" {
				t.Errorf("a call is %q by %q before the bucket is read", class, active)
			}
			stop := j.start(t)
			b := buckets(t, js)
			eventually(t, "it is filled", func() bool {
				return states(inBucket(t, b, order)) == "v1 legacy; v2 legacy; v3 active; " && inBucket(t, b, drift.Key{Tool: "own"}) != nil
			})
			if v := inBucket(t, b, order).Versions[0]; !v.RegisteredAt.Equal(morning.Add(10 * time.Minute)) {
				t.Errorf("v1 is registered at %s", v.RegisteredAt)
			}
			stop()
			if err := js.DeleteKeyValue(t.Context(), stream.RegistryBucket); err != nil {
				t.Fatal(err)
			}
		})
	}
	t.Run("what somebody took away stays away", func(t *testing.T) {
		b := buckets(t, js)
		edit(t, b, order, func(d *drift.Document) error {
			_, err := d.Register(version(order, "v3"), "ada", morning, "")
			return err
		})
		e, err := b.Get(t.Context(), "orders.create_order")
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Delete(t.Context(), e.Key, e.Revision); err != nil {
			t.Fatal(err)
		}
		for range 10 { // what is stored is read first, and the bucket as soon as it can be
			j := newJudge(b)
			if err := j.Load(t.Context(), db); err != nil {
				t.Fatal(err)
			}
			stop := j.start(t)
			eventually(t, "it is forgotten", func() bool { return j.Registry().Document(order) == nil })
			stop()
		}
		if d := inBucket(t, b, order); d != nil {
			t.Errorf("it is back: %s", states(d))
		}
	})
	t.Run("what was decided since stays", func(t *testing.T) {
		b := buckets(t, js)
		edit(t, b, order, func(d *drift.Document) error {
			_, err := d.Register(version(order, "v4"), "ingest", morning.Add(time.Hour), "")
			return err
		})
		j := newJudge(b)
		if err := j.Load(t.Context(), db); err != nil {
			t.Fatal(err)
		}
		j.start(t)
		eventually(t, "the other tool is written", func() bool { return inBucket(t, b, drift.Key{Tool: "own"}) != nil })
		if diff := cmp.Diff("v4 active; ", states(inBucket(t, b, order))); diff != "" {
			t.Errorf("(-want +have):\n%s", diff)
		}
	})
}
