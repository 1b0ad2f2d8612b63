package client_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"
	"golang.org/x/sync/errgroup"

	"github.com/tooltrail/tooltrail/client"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/stream"
)

var search = drift.Key{Server: "shop", Tool: "search"}

// definition is the search tool with arguments of these names.
func definition(arguments ...string) jsontext.Value {
	var all []string
	for _, a := range arguments {
		all = append(all, strconv.Quote(a)+`:{"type":"string"}`)
	}
	return jsontext.Value(`{"name":"search","input_schema":{"type":"object","properties":{` + strings.Join(all, ",") + `},"required":[` + strconv.Quote(arguments[0]) + `]}}`)
}

// knowing starts a client and waits until it knows the registry.
func knowing(t testing.TB, cfg client.Config) *client.Client {
	t.Helper()
	c := start(t, cfg)
	if err := c.WaitRegistry(longer(t)); err != nil {
		t.Fatal(err)
	}
	return c
}

// set writes a switch as the analyzer or a person does.
func set(t testing.TB, js jetstream.JetStream, make func(old *drift.Switch) (*drift.Switch, error)) {
	t.Helper()
	key, err := stream.Key(search.Server, search.Tool)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stream.NewBucket(js, stream.BreakerBucket).Change(t.Context(), key, func(old []byte) ([]byte, error) {
		was, err := drift.DecodeSwitch(old)
		if err != nil {
			return nil, err
		}
		next, err := make(was)
		if err != nil {
			return nil, err
		}
		return next.Encode()
	}); err != nil {
		t.Fatal(err)
	}
}

func switchEdit() drift.SwitchEdit {
	return drift.SwitchEdit{Server: search.Server, Tool: search.Tool, By: "test", Reason: "3 validation errors in a row", At: time.Now()}
}

func disable(old *drift.Switch) (*drift.Switch, error) { return drift.Disable(old, switchEdit()) }
func enable(old *drift.Switch) (*drift.Switch, error)  { return drift.Enable(old, switchEdit()) }

// check calls the search tool and returns why it is refused, empty when it is not.
func check(t testing.TB, c *client.Client) client.Refusal {
	t.Helper()
	k := c.ToolCallStart(events.Context{ConversationID: "c-1"}, search.Tool, []byte(`{"q":"x"}`))
	k.ToolCall.Server = search.Server
	defer k.End(events.OutcomeOK, "")
	_, err := k.Check(t.Context())
	var refused *client.RefusedError
	if err != nil && !errors.As(err, &refused) {
		t.Fatal(err)
	}
	if refused == nil {
		return ""
	}
	return refused.Reason
}

func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	ctx := longer(t)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("waited for %s", what)
		}
	}
}

func TestADefinitionRegisteredByOneAgentIsSeenByAnother(t *testing.T) {
	s := serve(t, server.Options{})
	open(t, s.ClientURL())
	one, other := knowing(t, config(s.ClientURL())), knowing(t, config(s.ClientURL()))
	if _, err := other.Definition(search, "c-1"); !errors.Is(err, client.ErrNotRegistered) {
		t.Fatalf("have %v", err)
	}
	if err := one.RegisterDefinition(longer(t), search, "v1", definition("q")); err != nil {
		t.Fatal(err)
	}
	if d, err := one.Definition(search, "c-1"); err != nil || d.Version != "v1" {
		t.Errorf("the agent itself has %+v, %v", d, err)
	}
	seen := func(conversation, version string) func() bool {
		return func() bool {
			d, err := other.Definition(search, conversation)
			return err == nil && d.Version == version && d.Cohort == "" && !d.Canary
		}
	}
	eventually(t, "v1", seen("c-1", "v1"))
	if err := one.RegisterDefinition(longer(t), search, "v2", definition("query")); err != nil {
		t.Fatal(err)
	}
	n := 0
	eventually(t, "v2 in a new conversation", func() bool { n++; return seen("new-"+strconv.Itoa(n), "v2")() })
	if !seen("c-2", "v2")() {
		t.Error("another conversation does not see it")
	}
	if !seen("c-1", "v1")() {
		t.Error("the conversation under way sees another version")
	}
	d, err := other.Definition(search, "c-2")
	if err != nil || string(d.Definition) != string(definition("query")) {
		t.Errorf("have %s, %v", d.Definition, err)
	}
	d.Definition[0] = 'x' // the caller's own
	if again, _ := other.Definition(search, "c-2"); string(again.Definition) != string(definition("query")) {
		t.Error("the registry was changed")
	}
}

func TestAMigrationRegisteredByOneAgentIsAppliedByAnother(t *testing.T) {
	s := serve(t, server.Options{})
	open(t, s.ClientURL())
	one, other := knowing(t, config(s.ClientURL())), knowing(t, config(s.ClientURL()))
	for i, arg := range []string{"q", "query"} {
		if err := one.RegisterDefinition(longer(t), search, "v"+strconv.Itoa(i+1), definition(arg)); err != nil {
			t.Fatal(err)
		}
	}
	m := drift.Migration{From: "v1", To: "v2", Steps: []drift.Step{{Op: drift.OpRename, Path: "/q", To: "/query"}}}
	if err := one.RegisterMigration(longer(t), search, m); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the migration", func() bool {
		k := other.ToolCallStart(events.Context{}, search.Tool, []byte(`{"q":"x"}`))
		k.ToolCall.Server = search.Server
		d, err := k.Check(t.Context())
		return err == nil && d.Migration == "v1-to-v2" && string(d.Arguments) == `{"query":"x"}`
	})
	m.To = "v3"
	if err := one.RegisterMigration(longer(t), search, m); !errors.Is(err, drift.ErrDocument) {
		t.Errorf("to a version that is not there: %v", err)
	}
	if err := one.RegisterDefinition(longer(t), search, "v3", jsontext.Value(`{"name":"search","input_schema":{"type":5}}`)); err == nil || !strings.Contains(err.Error(), "/type") {
		t.Errorf("a definition that can't be compiled: %v", err)
	}
}

func TestOfManyRegistrationsAtOnceNoneIsLost(t *testing.T) {
	s := serve(t, server.Options{})
	js := open(t, s.ClientURL())
	var g errgroup.Group
	for i := range 12 {
		c := knowing(t, config(s.ClientURL()))
		g.Go(func() error {
			return c.RegisterDefinition(longer(t), search, fmt.Sprintf("v%02d", i), definition(fmt.Sprintf("arg%d", i)))
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	e, err := stream.NewBucket(js, stream.RegistryBucket).Get(t.Context(), "shop.search")
	if err != nil {
		t.Fatal(err)
	}
	d, err := drift.DecodeDocument(e.Value)
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, v := range d.Versions {
		have = append(have, v.Version)
	}
	slices.Sort(have)
	if len(have) != 12 || have[0] != "v00" || have[11] != "v11" {
		t.Errorf("have %v", have)
	}
}

func TestRegisteringWaitsForNATSAsLongAsTheContextLetsIt(t *testing.T) {
	c := start(t, config("nats://127.0.0.1:1"))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := c.RegisterDefinition(ctx, search, "v1", definition("q")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("have %v", err)
	}
	cfg := config("nats://127.0.0.1:1")
	cfg.NATS.URL = "nats://%zz"
	never := start(t, cfg)
	if err := never.WaitRegistry(longer(t)); err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("where there will never be a connection: %v", err)
	}
	if err := never.RegisterDefinition(longer(t), search, "v1", definition("q")); err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("where there will never be a connection: %v", err)
	}
	var zero client.Client
	if err := zero.RegisterDefinition(ctx, search, "v1", definition("q")); !errors.Is(err, client.ErrNotStarted) {
		t.Errorf("have %v", err)
	}
	if err := zero.WaitRegistry(ctx); !errors.Is(err, client.ErrNotStarted) {
		t.Errorf("have %v", err)
	}
}

func TestCloseLeavesNoGoroutine(t *testing.T) {
	before := goleak.IgnoreCurrent()
	t.Run("of six clients", func(t *testing.T) {
		s := serve(t, server.Options{})
		js := open(t, s.ClientURL())
		for i := range 300 { // more than a watch holds ready
			if _, err := stream.NewBucket(js, stream.RegistryBucket).Change(t.Context(), "shop.t"+strconv.Itoa(i), func([]byte) ([]byte, error) { return []byte("no document"), nil }); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 6 {
			cfg := config(s.ClientURL())
			if i%2 == 1 {
				cfg.NATS.URL, cfg.Conn = "", js.Conn()
			}
			startAndClose(t, cfg, i > 1)
		}
	})
	goleak.VerifyNone(t, before, ofLibrary)
}

func startAndClose(t *testing.T, cfg client.Config, wait bool) {
	t.Helper()
	c, err := client.Start(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if wait {
		if err := c.WaitRegistry(longer(t)); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Close(longer(t)); err != nil {
		t.Fatal(err)
	}
	if err := c.RegisterDefinition(longer(t), search, "v1", definition("q")); !errors.Is(err, client.ErrClosed) {
		t.Errorf("a client that is closed registers: %v", err)
	}
}
