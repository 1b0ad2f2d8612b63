package client

import (
	"encoding/json"
	"errors"
	stdstrings "strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
)

var orders = drift.Key{Server: "shop", Tool: "process_order"}

const (
	orderV1 = `{"name":"process_order","input_schema":{"type":"object","properties":{"id":{"type":"string"},"amount":{"type":"number"}},"required":["id","amount"]}}`
	orderV2 = `{"name":"process_order","input_schema":{"type":"object","properties":{"id":{"type":"string"},"quantity":{"type":"number","default":0},"unit":{"type":"string"}},"required":["id"]}}`
)

// orderDocument has both versions of process_order, the second active.
func orderDocument(t testing.TB) *drift.Document {
	t.Helper()
	d := drift.NewDocument(orders)
	register(t, d, "v1", orderV1, drift.StateActive)
	register(t, d, "v2", orderV2, drift.StateActive)
	return d
}

func register(t testing.TB, d *drift.Document, version, definition string, state drift.State) {
	t.Helper()
	def := &events.ToolDefinition{ToolName: d.Tool, Server: d.Server, SchemaVersion: version, Definition: jsontext.Value(definition)}
	if _, err := d.Register(def, "test", time.Now(), state); err != nil {
		t.Fatal(err)
	}
}

func edited(t testing.TB, changed bool, err error) {
	t.Helper()
	if err != nil || !changed {
		t.Fatalf("edit: %t, %v", changed, err)
	}
}

var amountToQuantity = drift.Migration{From: "v1", To: "v2", Steps: []drift.Step{{Op: drift.OpRename, Path: "/amount", To: "/quantity"}}}

func edit() drift.Edit { return drift.Edit{At: time.Now(), By: "test"} }

// knowing starts a client that knows documents, and switches that are enabled but for those given.
func knowing(t *testing.T, change func(*Config), docs ...*drift.Document) (*Client, *fakeLink) {
	t.Helper()
	c, l := fake(t, change, nil)
	for _, d := range docs {
		learn(t, c, d)
	}
	c.know.documents.known()
	c.know.breaker.known()
	return c, l
}

func learn(t testing.TB, c *Client, d *drift.Document) {
	t.Helper()
	raw, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	revision := uint64(1)
	if was := c.know.newest(d.Key()); was != nil {
		revision = was.revision + 1
	}
	c.know.setDocument(d.Key(), raw, revision)
}

func order(c *Client, args string) *Call {
	k := c.ToolCallStart(events.Context{ConversationID: "c1", AgentName: "support"}, "process_order", []byte(args))
	k.ToolCall.Server = "shop"
	return k
}

func TestACallIsJudgedMigratedAndRid(t *testing.T) {
	for name, tt := range map[string]struct {
		migrate   bool
		given     string
		class     events.DriftClass
		arguments string
		migration string
		version   string
		used      string
	}{
		"a call of the active version":         {given: `{"id":"x", "quantity":1.50}`, class: events.DriftCurrent, arguments: `{"id":"x", "quantity":1.50}`, used: "v2"},
		"an old call without a migration":      {given: `{"id":"x","amount":5}`, class: events.DriftSilentDefault, arguments: `{"id":"x","amount":5}`, used: "v1"},
		"an old call with one":                 {migrate: true, given: `{"id":"x","amount":5.0}`, class: events.DriftOldVersion, arguments: `{"id":"x","quantity":5.0}`, migration: "v1-to-v2", used: "v1"},
		"an old call that says so":             {migrate: true, given: `{"schema_version":"v1","id":"x","amount":5}`, class: events.DriftOldVersion, arguments: `{"id":"x","quantity":5}`, migration: "v1-to-v2", version: "v1", used: "v1"},
		"a claim of the active version":        {given: `{"id":"x", "schema_version" : "v2", "quantity":1}`, class: events.DriftCurrent, arguments: `{"id":"x","quantity":1}`, version: "v2", used: "v2"},
		"a claim that the arguments deny":      {migrate: true, given: `{"id":"x","amount":5,"schema_version":"v2"}`, class: events.DriftUnknownArgument, arguments: `{"id":"x","quantity":5}`, migration: "v1-to-v2", version: "v2", used: "v2"},
		"a version that nobody knows":          {given: `{"id":"x","quantity":1,"schema_version":"2026-01"}`, class: events.DriftUnknownArgument, arguments: `{"id":"x","quantity":1,"schema_version":"2026-01"}`, version: "2026-01", used: "v2"},
		"arguments that fit no version":        {migrate: true, given: `{"id":1}`, class: events.DriftValidationError, arguments: `{"id":1}`, used: "v2"},
		"arguments that are no JSON":           {migrate: true, given: `{"id":`, class: events.DriftValidationError, arguments: `{"id":`, used: ""},
		"no arguments at all":                  {given: ``, class: events.DriftValidationError, used: "v2"},
		"a name that no version knows":         {given: `{"id":"x","color":1}`, class: events.DriftUnknownArgument, arguments: `{"id":"x","color":1}`, used: "v2"},
		"a value that is no version":           {given: `{"id":"x","quantity":1,"schema_version":"secret value"}`, class: events.DriftUnknownArgument, arguments: `{"id":"x","quantity":1,"schema_version":"secret value"}`, used: "v2"},
		"an argument that only looks like one": {given: `{"id":"x","quantity":1,"unit":"schema_version"}`, class: events.DriftCurrent, arguments: `{"id":"x","quantity":1,"unit":"schema_version"}`, used: "v2"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				doc := orderDocument(t)
				if tt.migrate {
					changed, err := doc.AddMigration(amountToQuantity, edit())
					edited(t, changed, err)
				}
				c, l := knowing(t, nil, doc)
				k := order(c, tt.given)
				d, err := k.Check(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				k.End(events.OutcomeOK, "")
				closeNow(t, c)
				if string(d.Arguments) != tt.arguments || d.Migration != tt.migration || d.Verdict.Class != tt.class || d.MigrationError != nil {
					t.Errorf("have %s, %q, %s, %v", d.Arguments, d.Migration, d.Verdict.Class, d.MigrationError)
				}
				_, e := only[*events.ToolCall](t, l)
				if e.DriftClass != tt.class || e.Migration != tt.migration || e.SchemaVersion != tt.version || e.UsedVersion != tt.used || e.ActiveVersion != "v2" {
					t.Errorf("the event says %s, migration %q, claimed %q, used %q, active %q", e.DriftClass, e.Migration, e.SchemaVersion, e.UsedVersion, e.ActiveVersion)
				}
				if e.Arguments != nil || e.Migration != "" && e.ValidationErrors != nil {
					t.Errorf("the event has arguments %s and errors %v", e.Arguments, e.ValidationErrors)
				}
			})
		})
	}
}

func TestAVersionThatTheSchemaAsksForIsNotForTheTool(t *testing.T) {
	const schema = `{"name":"process_order","input_schema":{"type":"object","properties":{"schema_version":{"const":"VERSION"},"NAME":{"type":"number"}},"required":["schema_version","NAME"]}}`
	doc := drift.NewDocument(orders)
	register(t, doc, "v1", stdstrings.NewReplacer("VERSION", "v1", "NAME", "amount").Replace(schema), drift.StateActive)
	register(t, doc, "v2", stdstrings.NewReplacer("VERSION", "v2", "NAME", "quantity").Replace(schema), drift.StateActive)
	changed, err := doc.AddMigration(amountToQuantity, edit())
	edited(t, changed, err)
	for given, want := range map[string]string{
		`{"schema_version":"v2","quantity":1}`: "", `{"schema_version":"v1","quantity":1}`: "", // says the wrong version, fits none
		`{"schema_version":"v1","amount":1}`: "v1-to-v2", `{"amount":1}`: "",
	} {
		synctest.Test(t, func(t *testing.T) {
			c, _ := knowing(t, nil, doc)
			d, err := order(c, given).Check(t.Context())
			if err != nil || d.Migration != want || stdstrings.Contains(string(d.Arguments), "schema_version") {
				t.Errorf("%s: have %s, %q, %v", given, d.Arguments, d.Migration, err)
			}
			closeNow(t, c)
		})
	}
}

func TestAMigrationWhoseResultDoesNotFitIsNotApplied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		doc := orderDocument(t)
		changed, err := doc.AddMigration(drift.Migration{From: "v1", To: "v2", Steps: []drift.Step{{Op: drift.OpRename, Path: "/amount", To: "/unit"}}}, edit())
		edited(t, changed, err)
		c, _ := knowing(t, nil, doc)
		d, err := order(c, `{"id":"x","amount":5}`).Check(t.Context())
		if err != nil || !errors.Is(d.MigrationError, drift.ErrMigration) || d.Migration != "" || string(d.Arguments) != `{"id":"x","amount":5}` {
			t.Errorf("have %+v, %v", d, err)
		}
		closeNow(t, c)
	})
}

func TestARenamedOrBridgedToolIsJudgedAsTheOneThatIsMeant(t *testing.T) {
	roster := activation.NewRoster(activation.RosterInput{
		Tools:   []activation.Tool{{Name: "process_order", Server: "shop"}, {Name: "slow", Server: "shop", Deferred: true}},
		Renames: map[string]string{"do_order": "process_order", "slowly": "slow"},
	})
	for _, tt := range []struct{ name, args, refused string }{
		{"do_order", `{"id":"x","amount":5}`, ""},
		{"call_tool", `{"name":"process_order","arguments":{"id":"x","amount":5}}`, ""},
		{"slowly", `{}`, "not_activated"},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, _ := knowing(t, nil, orderDocument(t))
			k := c.ToolCallStart(events.Context{}, tt.name, []byte(tt.args))
			k.State = activation.NewState(roster)
			d, err := k.Check(t.Context())
			if tt.refused != "" {
				var refused *RefusedError
				if !errors.As(err, &refused) || string(refused.Reason) != tt.refused {
					t.Errorf("%s: %v", tt.name, err)
				}
			} else if err != nil || d.Tool != orders || d.Verdict.Class != events.DriftSilentDefault || string(d.Arguments) != `{"id":"x","amount":5}` {
				t.Errorf("%s: have %+v, %v", tt.name, d, err)
			}
			closeNow(t, c)
		})
	}
}

func TestAClientThatKnowsNothingAllowsAndJudgesNothing(t *testing.T) {
	for _, c := range []*Client{nil, {}} {
		d, err := c.ToolCallStart(events.Context{}, "a", []byte(`{"b":1}`)).Check(t.Context())
		if err != nil || string(d.Arguments) != `{"b":1}` || d.Tool.Tool != "a" || d.Verdict.Class != "" {
			t.Errorf("have %+v, %v", d, err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		c, _ := fake(t, nil, nil)
		if d, err := order(c, `{"id":1}`).Check(t.Context()); err != nil || d.Verdict.Class != "" {
			t.Errorf("have %+v, %v", d, err)
		}
		closeNow(t, c)
	})
	synctest.Test(t, func(t *testing.T) {
		c, _ := knowing(t, func(c *Config) { c.NoRegistry = true }, orderDocument(t))
		turn(c, disabled(""), 1)
		if d, err := order(c, `{"id":1}`).Check(t.Context()); err != nil || d.Verdict.Class != "" {
			t.Errorf("without a registry: %+v, %v", d, err)
		}
		closeNow(t, c)
	})
}

func TestOnlyAVersionIsTakenOutOfArguments(t *testing.T) {
	member := rapid.Custom(func(t *rapid.T) string {
		name := rapid.SampledFrom([]string{`"a"`, `"schema_version"`, `"schema\u005fversion"`, `"b c"`, `"é"`}).Draw(t, "name")
		value := rapid.SampledFrom([]string{`1.50`, `"v1"`, `{"schema_version": "v1"}`, `[1, 2]`, `null`, `"\u0000"`}).Draw(t, "value")
		return name + rapid.SampledFrom([]string{":", " : "}).Draw(t, "colon") + value
	})
	rapid.Check(t, func(t *rapid.T) {
		args := "{" + stdstrings.Join(rapid.SliceOfN(member, 0, 5).Draw(t, "members"), ", ") + "}"
		rest, claim := withoutVersion(jsontext.Value(args))
		var before, after map[string]any
		if json.Unmarshal([]byte(args), &before) != nil || json.Unmarshal(rest, &after) != nil {
			t.Fatalf("%s became %s", args, rest)
		}
		if claim == "" {
			if string(rest) != args {
				t.Fatalf("%s became %s", args, rest)
			}
			return
		}
		delete(before, "schema_version")
		if diff := cmp.Diff(before, after); diff != "" {
			t.Fatalf("%s became %s", args, rest)
		}
	})
	for _, args := range []string{``, `null`, `[{"schema_version":"v1"}]`, `"schema_version"`, `{"schema_version":"v1"`, `{"schema_version":1}`, `{"schema_version":"` + stdstrings.Repeat("v", 200) + `"}`} {
		if rest, claim := withoutVersion(jsontext.Value(args)); string(rest) != args || claim != "" {
			t.Errorf("%s became %s, %s", args, rest, claim)
		}
	}
}
