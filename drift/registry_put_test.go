package drift

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/tooltrail/tooltrail/events"
)

var orderKey = Key{Tool: "process_order"}

func mustPut(t testing.TB, r *Registry, d *Document) {
	t.Helper()
	if err := r.Put(d); err != nil {
		t.Fatal(err)
	}
}

func TestADocumentPutAgainIsNotCompiledAgain(t *testing.T) {
	r := NewRegistry()
	d := orderDocument(t)
	mustPut(t, r, d)
	was := r.Versions("", "process_order")
	next := d.Clone()
	def := definitionOf(orderV2, "v2")
	def.Definition = []byte(`{"name":"process_order","description":"Other words.","inputSchema":` + orderV2 + `}`)
	def.DefinitionDigest, def.WireDigest = "", ""
	mustRegister(t, next, def, "")
	mustRegister(t, next, definitionOf(numbered(1), "v3"), "")
	mustPut(t, r, next)
	is := r.Versions("", "process_order")
	if is.Active.Name != "v3" || is.Legacy[1].Schema != was.Active.Schema || is.Legacy[0].Schema != was.Legacy[0].Schema {
		t.Errorf("%+v", is)
	}
	if !strings.Contains(string(is.Legacy[1].Definition), "Other words") || was.Active.Name != "v2" {
		t.Error("the definition is the old one, or what was handed out changed")
	}
}

func TestAVersionThatCannotBeCompiledIsLeftOutAndTheOthersServe(t *testing.T) {
	d := NewDocument(Key{Server: "shop", Tool: "order"})
	def := func(schema, version string) *events.ToolDefinition {
		one := definitionOf(schema, version)
		one.Server, one.ToolName = "shop", "order"
		return one
	}
	mustRegister(t, d, def(orderV1, "v1"), "")
	mustRegister(t, d, def(orderV2, "v2"), "")
	mustRegister(t, d, def(numbered(1), "v3"), StateLegacy)
	d.Versions[2].Definition = []byte(`{"name":"order","inputSchema":{"properties":{"a":{"minLength":-1}}}}`)
	r := NewRegistry()
	err := r.Put(d)
	var compile *CompileError
	if !errors.As(err, &compile) || compile.Path != "/properties/a/minLength" || !strings.Contains(err.Error(), `version "v3" of shop/order`) {
		t.Errorf("error %v", err)
	}
	v, _ := r.For(d.Key(), "c")
	if v == nil || v.Active.Name != "v2" || len(v.Legacy) != 1 {
		t.Fatalf("%+v", v)
	}
	if got := Classify(v, Call{Arguments: []byte(`{"id":"x","amount":5}`)}); got.Class != events.DriftSilentDefault {
		t.Errorf("class %s", got.Class)
	}
}

func TestADocumentThatIsWrongChangesNothing(t *testing.T) {
	r := NewRegistry()
	d := orderDocument(t)
	mustPut(t, r, d)
	bad := d.Clone()
	bad.Versions[0].State = "live"
	if err := r.Put(bad); !errors.Is(err, ErrDocument) {
		t.Errorf("error %v", err)
	}
	if r.Document(orderKey) != d || len(r.Keys()) != 1 {
		t.Error("it is another document")
	}
	r.Drop(orderKey)
	r.Drop(orderKey)
	if v, cohort := r.For(orderKey, "c"); v != nil || cohort != "" || r.Document(orderKey) != nil || len(r.Keys()) != 0 || r.bytes != 0 {
		t.Error("it is still there")
	}
}

func TestConversationsOfACanaryAreJudgedByItsVersion(t *testing.T) {
	d := orderDocument(t)
	mustRegister(t, d, definitionOf(`{"type":"object","properties":{"id":{"type":"string"},"quantity":{"type":"integer"}},"required":["id","quantity"]}`, "v3"), StateLegacy)
	r := NewRegistry()
	mustPut(t, r, d)
	if v, cohort := r.For(orderKey, "c"); cohort != "" || v.Active.Name != "v2" {
		t.Errorf("without a canary: %s, %q", v.Active.Name, cohort)
	}
	canary := d.Clone()
	if _, err := canary.StartCanary("v3", 0.5, "k", ann); err != nil {
		t.Fatal(err)
	}
	mustPut(t, r, canary)
	seen := map[string]int{}
	for i := range 50 {
		c := &events.ToolCall{ToolName: "process_order", Arguments: []byte(`{"id":"x","quantity":1}`)}
		c.ConversationID = fmt.Sprintf("conversation-%d", i)
		if !r.Classify(c) || c.DriftClass != events.DriftCurrent {
			t.Fatalf("%+v", c)
		}
		want := map[string]string{CohortCanary: "v3", CohortBaseline: "v2"}[c.Cohort]
		if canary.Canary.Chooses(c.ConversationID) != (c.Cohort == CohortCanary) || c.ActiveVersion != want || c.UsedVersion != want {
			t.Errorf("%s: cohort %s, active %s, used %s", c.ConversationID, c.Cohort, c.ActiveVersion, c.UsedVersion)
		}
		seen[c.Cohort]++
	}
	if seen[CohortCanary] == 0 || seen[CohortBaseline] == 0 {
		t.Errorf("%v", seen)
	}
	// A call that only the canary fits has drifted in the baseline, and one that only the active version fits in the canary.
	v, _ := r.For(orderKey, "")
	if got := Classify(v, Call{Version: "v3", Arguments: []byte(`{"id":"x","quantity":1}`)}); got.Class != events.DriftOldVersion {
		t.Errorf("class %s", got.Class)
	}
}

func TestTheFallbackIsTheOldestNamedVersionUnlessItsSchemaIsTheActiveOnes(t *testing.T) {
	auto := func(schema string) string { return AutoVersion(definitionDigest(t, schema)) }
	tests := []struct {
		name string
		make func(d *Document)
		want string
	}{
		{"named", func(*Document) {}, "v1"},
		{"chosen", func(d *Document) { _, _ = d.SetFallback("v2", ann) }, "v2"},
		{"retired", func(d *Document) { _, _ = d.Retire("v1", ann) }, "v2"},
		{"the active one has no name", func(d *Document) { mustRegister(t, d, definitionOf(numbered(1), ""), "") }, auto(numbered(1))},
		{"the same schema under another name", func(d *Document) { mustRegister(t, d, definitionOf(orderV1, "v3"), "") }, "v3"},
		{"the oldest is the canary", func(d *Document) { _, _ = d.StartCanary("v1", 0, "", ann) }, "v2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := orderDocument(t)
			tt.make(d)
			if got := d.Fallback(); got != tt.want {
				t.Errorf("fallback %s", got)
			}
		})
	}
}

func definitionDigest(t *testing.T, schema string) string {
	t.Helper()
	return definitionOf(schema, "").SchemaDigest
}

func TestARegistryHasRoomForSoManyBytes(t *testing.T) {
	r := NewRegistry()
	big := []byte(`{"name":"x","description":"` + strings.Repeat("x", 500<<10) + `","inputSchema":{}}`)
	digests, err := events.Digester{}.Tool(big)
	if err != nil {
		t.Fatal(err)
	}
	put := func(i int) error {
		d := NewDocument(Key{Tool: fmt.Sprintf("tool%d", i)})
		d.Versions = []VersionEntry{{Version: "v1", State: StateActive, WireDigest: digests.Wire, DefinitionDigest: digests.Definition, SchemaDigest: digests.Schema, Definition: big}}
		return r.Put(d)
	}
	n := 0
	for ; n < maxRegistryBytes/len(big)+1; n++ {
		if err = put(n); err != nil {
			break
		}
	}
	if !errors.Is(err, ErrFull) || n != maxRegistryBytes/len(big) {
		t.Errorf("%d tools, %v", n, err)
	}
	if err := put(0); err != nil {
		t.Errorf("one that is there: %v", err)
	}
	r.Drop(Key{Tool: "tool1"})
	if err := put(n); err != nil {
		t.Errorf("after one went: %v", err)
	}
}

func TestCallsAreJudgedWhileDocumentsComeIn(t *testing.T) {
	r := NewRegistry()
	d := orderDocument(t)
	mustPut(t, r, d)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 100 {
				c := &events.ToolCall{ToolName: "process_order", Arguments: []byte(`{"id":"x","amount":"5"}`)}
				c.ConversationID = fmt.Sprint(g, i)
				if !r.Classify(c) || !Drifted(c.DriftClass) {
					t.Errorf("class %s", c.DriftClass)
				}
			}
		})
	}
	wg.Go(func() {
		for i := range 50 {
			next := r.Document(orderKey).Clone()
			active := []string{"v1", "v2"}[i%2]
			if _, err := next.Activate(active, ann); err != nil {
				t.Error(err)
			}
			mustPut(t, r, next)
		}
	})
	wg.Go(func() {
		for i := range 50 {
			if err := r.Add(definitionOf(orderV2, "v2")); err != nil {
				t.Error(i, err)
			}
			if err := r.Add(&events.ToolDefinition{ToolName: "bad", SchemaDigest: "x", Definition: []byte(`{"name":"bad","inputSchema":{"type":5}}`)}); err == nil {
				t.Error("it can't be compiled")
			}
		}
	})
	wg.Wait()
	if len(r.refused) != 1 {
		t.Errorf("%d definitions refused", len(r.refused))
	}
}
