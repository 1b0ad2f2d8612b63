package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/client"
	"github.com/tooltrail/tooltrail/events"
)

// chat is one conversation of an agent that puts every call through the gate.
type chat struct {
	t      *testing.T
	c      *client.Client
	about  events.Context
	text   string // of the roster
	state  *activation.State
	loader *activation.Loader // nil where nothing has to be loaded
}

// newChat starts a conversation and tells of its roster, whose tools get a definition each.
func newChat(t *testing.T, c *client.Client, about events.Context, in activation.RosterInput) *chat {
	t.Helper()
	in.Tools = slices.Clone(in.Tools)
	for i := range in.Tools {
		name, err := json.Marshal(in.Tools[i].Name)
		if err != nil {
			t.Fatal(err)
		}
		in.Tools[i].Definition = fmt.Appendf(nil, `{"name":%s,"description":"Does one thing.","inputSchema":{"type":"object"}}`, name)
	}
	roster := activation.NewRoster(in)
	k := &chat{t: t, c: c, about: about, state: activation.NewState(roster)}
	k.text = c.ShowRoster(events.ToolRoster{Context: about, Reason: events.RosterDeploy}, roster, activation.TextOptions{})
	l, err := activation.NewLoader(k.state, activation.Checks{})
	if err != nil && !errors.Is(err, activation.ErrNothingDeferred) {
		t.Fatal(err)
	}
	k.loader, k.about.Turn = l, 1
	return k
}

// call makes a call and returns the reason for which the gate refused it.
func (k *chat) call(name, arguments string) activation.Reason {
	k.t.Helper()
	call := k.c.ToolCallStart(k.about, name, []byte(arguments))
	call.State = k.state
	call.ToolCall.InputTokens, call.ToolCall.OutputTokens = events.Tokens(90), events.Tokens(10)
	_, err := call.Check(k.t.Context())
	var refusal *activation.Refusal
	if errors.As(err, &refusal) {
		k.namesNoOther(name, err.Error())
		return refusal.Reason
	}
	if err != nil {
		k.t.Fatal(err)
	}
	call.End(events.OutcomeOK, "")
	return ""
}

// namesNoOther fails where a text for the model has the name of a tool that the model did not give.
func (k *chat) namesNoOther(name, text string) {
	k.t.Helper()
	for _, tool := range k.state.Roster().Tools() {
		if tool.Name != name && tool.Name != "" && strings.Contains(text, tool.Name) {
			k.t.Errorf("the model called %q and is told of %q: %s", name, tool.Name, text)
		}
	}
}

// load asks for tools as the model does, and goes on to its next message.
func (k *chat) load(names ...string) activation.Loaded {
	out := k.c.Load(k.about, k.loader, names...)
	k.next()
	return out
}

// next goes on to the model's next message.
func (k *chat) next() {
	k.state.Step()
	k.about.Turn++
}
