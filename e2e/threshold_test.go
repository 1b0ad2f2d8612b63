package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/tooltrail/tooltrail/client"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/store"
)

// The two versions of the tool: a field was renamed, and a required one added.
const (
	orderV1 = `{"name":"process_order","inputSchema":{"type":"object","properties":{"amount":{"type":"integer"}},"required":["amount"]}}`
	orderV2 = `{"name":"process_order","inputSchema":{"type":"object",` +
		`"properties":{"quantity":{"type":"integer","minimum":1},"unit":{"type":"string","enum":["kg","t"]}},"required":["quantity","unit"]}}`
	// orderSilent is the second version with a default in place of what is required: an old call is valid by it.
	orderSilent = `{"name":"process_order","inputSchema":{"type":"object","properties":{"quantity":{"type":"integer","default":0},"unit":{"type":"string"}}}}`

	oldOrder = `{"amount":5}`
	newOrder = `{"quantity":5,"unit":"kg"}`
)

// TestDriftOverTheThresholdsIsAFinding sends a thousand calls a tool through a real client, NATS, the ingester and the engine to the analyzer,
// of which a share still has the old form.
func TestDriftOverTheThresholdsIsAFinding(t *testing.T) {
	const calls = 1000
	s := newSite(t, 1)
	c := s.orderClient()
	cases := []struct {
		server, v2 string
		old        int
		want       finding.Severity
		action     string
	}{
		{"at-4.9", orderV2, 49, "", ""},
		{"at-5.0", orderV2, 50, "", ""},
		{"at-5.1", orderV2, 51, finding.Warning, "Add examples of the new schema to the prompt."},
		{"at-20.0", orderV2, 200, finding.Warning, "Add examples of the new schema to the prompt."},
		{"at-20.1", orderV2, 201, finding.Critical, "Pin the model version or put explicit migration guidance into the system prompt."},
		{"silent", orderSilent, 1, "", ""},
	}
	for _, tt := range cases {
		s.register(c, tt.server, orderV1, tt.v2)
		s.orders(c, tt.server, calls, tt.old)
	}
	db := s.openStore(t.Context())
	s.stored(db, uint64(calls*len(cases)))
	analyzing := s.startAnalyzer()

	found := map[string]map[string]finding.Finding{}
	waitFor(t, time.Minute, "the analyzer to say what it found of the last tool", func() bool {
		found = findingsByServer(t, db)
		return len(found["silent"]) > 0
	})
	analyzing.kill()
	for _, tt := range cases {
		f := found[tt.server][drift.RuleRatio]
		if f.Severity != tt.want || f.Action != tt.action {
			t.Errorf("%s: %q %q, want %q %q", tt.server, f.Severity, f.Action, tt.want, tt.action)
		}
		if tt.want != "" && (f.Numbers["calls"] != calls || f.Numbers["drifted"] != float64(tt.old) || !validOrder(t, f.Example)) {
			t.Errorf("%s: %v, example %s", tt.server, f.Numbers, f.Example)
		}
		_, silent := found[tt.server][drift.RuleSilentDefault]
		if silent != (tt.server == "silent") {
			t.Errorf("%s: findings %+v", tt.server, found[tt.server])
		}
	}
	f := found["silent"][drift.RuleSilentDefault]
	want := "1 of 1000 calls of silent/process_order gave amount, so that quantity took its default"
	if f.Severity != finding.Critical || f.Title != want {
		t.Errorf("%s %q, want %q", f.Severity, f.Title, want)
	}
}

// orderClient starts an agent's client.
func (s *site) orderClient() *client.Client {
	s.t.Helper()
	cfg := client.DefaultConfig()
	cfg.NATS.URL = natsURL(s.nats.ready)
	cfg.Context = events.Context{AgentName: "desk", AgentVersion: "1.0.0", RequestModel: "claude-sonnet-4-5"}
	c, err := client.Start(cfg)
	if err != nil {
		s.t.Fatalf("start client: %v", err)
	}
	s.t.Cleanup(func() { _ = c.Close(s.t.Context()) })
	if err := c.WaitRegistry(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	return c
}

// register puts both versions of a server's tool into the registry, and waits until the client knows the second.
func (s *site) register(c *client.Client, server, v1, v2 string) {
	s.t.Helper()
	k := drift.Key{Server: server, Tool: "process_order"}
	for i, definition := range []string{v1, v2} {
		if err := c.RegisterDefinition(s.t.Context(), k, fmt.Sprint("v", i+1), []byte(definition)); err != nil {
			s.t.Fatal(err)
		}
	}
	waitFor(s.t, 10*time.Second, "the client to know v2", func() bool {
		d, err := c.Definition(k, "")
		return err == nil && d.Version == "v2"
	})
}

// orders makes calls, some of which, spread over all, have the old form.
func (s *site) orders(c *client.Client, server string, calls, old int) {
	s.t.Helper()
	for i := range calls {
		arguments := newOrder
		if (i+1)*old/calls > i*old/calls {
			arguments = oldOrder
		}
		call := c.ToolCallStart(events.Context{ConversationID: fmt.Sprint(server, "-", i/20)}, "process_order", []byte(arguments))
		call.ToolCall.Server = server
		if _, err := call.Check(s.t.Context()); err != nil {
			s.t.Fatal(err)
		}
		call.End(events.OutcomeOK, "")
	}
	if err := c.Flush(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

// stored waits until so many calls are in the store.
func (s *site) stored(db *store.DB, calls uint64) {
	s.t.Helper()
	var row struct {
		N uint64 `ch:"n"`
	}
	waitFor(s.t, time.Minute, "all calls to be stored", func() bool {
		err := db.Each(s.t.Context(), "SELECT count() AS n FROM tool_calls", nil, &row, func() error { return nil })
		return err == nil && row.N == calls
	})
}

// findingsByServer returns the stored findings of drift by server and rule. Those on one model say nothing more here: there is one.
func findingsByServer(t *testing.T, db *store.DB) map[string]map[string]finding.Finding {
	t.Helper()
	all, err := db.Findings(t.Context(), store.FindingFilter{})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]map[string]finding.Finding{}
	for _, f := range all {
		if f.Detector != drift.Detector {
			continue
		}
		if found[f.Subject.Server] == nil {
			found[f.Subject.Server] = map[string]finding.Finding{}
		}
		found[f.Subject.Server][f.Rule] = f
	}
	return found
}

// validOrder reports that an example is valid by the second version.
func validOrder(t *testing.T, example string) bool {
	t.Helper()
	schema, err := drift.Compile([]byte(orderV2))
	if err != nil {
		t.Fatal(err)
	}
	v := schema.Classify([]byte(example))
	return v.Class == events.DriftCurrent
}
