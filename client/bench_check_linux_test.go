package client_test

import (
	"context"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/nats-io/nats-server/v2/server"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/client"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
)

// A tool of an issue tracker and calls of it, in size and nesting as such tools are.
const (
	createV1 = `{"name":"create_issue","description":"Creates an issue.","input_schema":{"type":"object","properties":{
		"owner":{"type":"string"},"repo":{"type":"string"},"title":{"type":"string","minLength":1},"body":{"type":"string"},
		"labels":{"type":"array","items":{"type":"string"}},"assignee":{"type":"string"},"milestone":{"type":"integer","minimum":1},
		"state":{"type":"string","enum":["open","closed"]}},"required":["owner","repo","title"]}}`
	createV2 = `{"name":"create_issue","description":"Creates an issue.","input_schema":{"type":"object","properties":{
		"owner":{"type":"string"},"repo":{"type":"string"},"title":{"type":"string","minLength":1},"body":{"type":"string"},
		"labels":{"type":"array","items":{"type":"string"}},"assignees":{"type":"array","items":{"type":"string"},"maxItems":10},"milestone":{"type":"integer","minimum":1},
		"state":{"type":"string","enum":["open","closed"],"default":"open"},
		"fields":{"type":"object","properties":{"priority":{"type":"string","enum":["low","high"]},"due":{"type":"string","format":"date"}}}},
		"required":["owner","repo","title"],"additionalProperties":false}}`
	createCall    = `{"owner":"tooltrail","repo":"tooltrail","title":"Search returns nothing","body":"Steps to see it: open the page, type a word, wait. Nothing comes.","labels":["bug","search"],"assignees":["ann","bob"],"milestone":3,"state":"open","fields":{"priority":"high","due":"2026-12-01"}}`
	createOldCall = `{"owner":"tooltrail","repo":"tooltrail","title":"Search returns nothing","body":"Steps to see it: open the page, type a word, wait. Nothing comes.","labels":["bug","search"],"assignee":"ann","milestone":3,"state":"open"}`
)

var create = drift.Key{Server: "tracker", Tool: "create_issue"}

// What a call takes of an agent, from ToolCallStart to End: without Check, and with it for a tool that nobody registered, for a call of the
// active version and for one that is migrated. own-cpu-ns is the calling goroutine's alone.
func BenchmarkCheck(b *testing.B) {
	s := serve(b, server.Options{})
	open(b, s.ClientURL())
	cfg := config(s.ClientURL())
	cfg.BufferEvents, cfg.NoHeartbeat = 1, true // the events themselves are not measured here
	c := knowing(b, cfg)
	for _, v := range [][2]string{{"v1", createV1}, {"v2", createV2}} {
		if err := c.RegisterDefinition(longer(b), create, v[0], jsontext.Value(v[1])); err != nil {
			b.Fatal(err)
		}
	}
	drop := drift.Migration{From: "v1", To: "v2", Steps: []drift.Step{{Op: drift.OpDrop, Path: "/assignee"}}}
	if err := c.RegisterMigration(longer(b), create, drop); err != nil {
		b.Fatal(err)
	}
	state := activation.NewState(activation.NewRoster(activation.RosterInput{
		Tools: []activation.Tool{{Name: "create_issue", Server: "tracker"}, {Name: "close_issue"}},
	}))
	for _, run := range []struct {
		name, tool, args string
		class            events.DriftClass
	}{
		{"without", "create_issue", createCall, ""},
		{"unregistered", "close_issue", createCall, events.DriftUnregistered},
		{"current", "create_issue", createCall, events.DriftCurrent},
		{"migrated", "create_issue", createOldCall, events.DriftOldVersion},
	} {
		b.Run(run.name, func(b *testing.B) {
			var spent cost
			spent.start()
			for range b.N {
				checked(b, c, state, run.tool, run.args, run.class)
			}
			spent.stop()
			spent.report(b)
		})
	}
}

func checked(b *testing.B, c *client.Client, state *activation.State, tool, args string, class events.DriftClass) {
	k := c.ToolCallStart(events.Context{ConversationID: "conv-7f3a"}, tool, []byte(args))
	if class != "" {
		k.State = state
		if d, err := k.Check(context.Background()); err != nil || d.Verdict.Class != class || len(d.Arguments) == 0 {
			b.Fatal(d, err)
		}
	}
	k.End(events.OutcomeOK, "")
}
