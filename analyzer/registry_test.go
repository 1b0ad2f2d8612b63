package analyzer_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/metrics"
	"github.com/tooltrail/tooltrail/stream"
)

func newRegistry(js jetstream.JetStream) (*analyzer.Registry, *metrics.Analyzer) {
	m := metrics.NewAnalyzer(prometheus.NewPedanticRegistry())
	return analyzer.NewRegistry(stream.NewBucket(js, stream.RegistryBucket), m, slog.New(slog.DiscardHandler)), m
}

// realDocument is a document that passes all checks.
func realDocument(t *testing.T, k drift.Key, owner string) string {
	t.Helper()
	d := drift.NewDocument(k)
	def := &events.ToolDefinition{
		ToolName: k.Tool, Server: k.Server, SchemaVersion: "v1", Definition: []byte(`{"name":"` + k.Tool + `","inputSchema":{"type":"object"}}`),
	}
	if _, err := d.Register(def, "ada", noon, drift.StateActive); err != nil {
		t.Fatal(err)
	}
	if _, err := d.SetOwner(owner, drift.Edit{At: noon, By: "ada"}); err != nil {
		t.Fatal(err)
	}
	data, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestTheRegistryFollowsItsBucket(t *testing.T) {
	nats := startNATS(t)
	js := nats.connect()
	r, m := newRegistry(js)
	if r.Err() == nil {
		t.Error("it is known before it was read")
	}
	own, shop := drift.Key{Tool: "own"}, drift.Key{Server: "shop", Tool: "order"}
	put(t, js, stream.RegistryBucket, realDocument(t, own, "ada"), own.Server, own.Tool)
	start(t, r.Run)
	eventually(t, "it is read", func() bool { return r.Err() == nil && r.Document(own) != nil })
	put(t, js, stream.RegistryBucket, realDocument(t, shop, "ben"), shop.Server, shop.Tool)
	put(t, js, stream.RegistryBucket, "{}", shop.Server, "broken")
	put(t, js, stream.RegistryBucket, realDocument(t, own, "cleo"), own.Server, own.Tool)
	eventually(t, "changes come", func() bool { return r.Document(shop) != nil && r.Document(own).Owner == "cleo" })
	if tools, errs := testutil.ToFloat64(m.RegistryTools), testutil.ToFloat64(m.RegistryErrors); tools != 2 || errs != 1 {
		t.Errorf("%v tools and %v errors are counted, want 2 and 1", tools, errs)
	}
	kv, err := js.KeyValue(t.Context(), stream.RegistryBucket)
	if err != nil {
		t.Fatal(err)
	}
	if err := kv.Delete(t.Context(), "shop.order"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a deletion comes", func() bool { return r.Document(shop) == nil })
	nats.stop()
	if r.Err() != nil || r.Document(own) == nil {
		t.Errorf("what was known is not while NATS is away: %v", r.Err())
	}
	nats.start()
	put(t, nats.connect(), stream.RegistryBucket, realDocument(t, shop, "dora"), shop.Server, shop.Tool)
	eventually(t, "changes come again", func() bool { return r.Document(shop) != nil })
}

func TestAReportWithoutTheRegistrySaysSoAndHasTheRest(t *testing.T) {
	db := openStore(t)
	for name, registry := range map[string]*analyzer.Registry{
		"not read yet": analyzer.NewRegistry(nil, nil, nil),
		"no NATS":      analyzer.NoRegistry(errors.New("no NATS is named")),
	} {
		a, _ := newAnalyzer(t, db)
		a.UseRegistry(registry)
		r, err := a.Once(t.Context(), finding.Window{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(r.Incomplete) != 1 || !strings.HasPrefix(r.Incomplete[0], "registry") {
			t.Errorf("%s: incomplete are %q", name, r.Incomplete)
		}
	}
	a, _ := newAnalyzer(t, db)
	a.UseRegistry(analyzer.RegistryOf(drift.NewRegistry()))
	if r, err := a.Once(t.Context(), finding.Window{}); err != nil || len(r.Incomplete) != 0 {
		t.Errorf("with a registry that is empty: %q, %v", r.Incomplete, err)
	}
}

func TestARegistryIsReadOnce(t *testing.T) {
	nats := startNATS(t)
	js := nats.connect()
	k := drift.Key{Server: "shop", Tool: "order"}
	put(t, js, stream.RegistryBucket, realDocument(t, k, "ada"), k.Server, k.Tool)
	r, _ := newRegistry(js)
	if err := r.Load(t.Context()); err != nil || r.Err() != nil || r.Document(k) == nil {
		t.Errorf("%v, %v", err, r.Err())
	}
	if err := js.DeleteKeyValue(t.Context(), stream.RegistryBucket); err != nil {
		t.Fatal(err)
	}
	r, _ = newRegistry(js)
	if err := r.Load(t.Context()); err == nil || r.Err() == nil {
		t.Error("a bucket that is not there is read")
	}
}
