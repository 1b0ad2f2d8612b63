package client_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/client"
	"github.com/tooltrail/tooltrail/events"
)

// agent is one conversation of an agent that loads tools on demand.
type agent struct {
	c      *client.Client
	about  events.Context
	state  *activation.State
	loader *activation.Loader
	array  *activation.ToolArray
	ids    *activation.IDs
	system string
	loaded []string
}

func newAgent(c *client.Client, about events.Context, tools []activation.Tool) (*agent, error) {
	roster := activation.NewRoster(activation.RosterInput{Tools: tools})
	a := &agent{c: c, about: about, state: activation.NewState(roster), ids: c.NewIDs(activation.IDSettings{})}
	a.system = c.ShowRoster(events.ToolRoster{Context: about}, roster, activation.TextOptions{Loader: "load_tools"})
	var err error
	if a.loader, err = activation.NewLoader(a.state, activation.Checks{}); err != nil {
		return nil, err // such as ErrNothingDeferred: give the model all tools
	}
	a.array, err = activation.NewToolArray(roster, activation.ArrayOptions{})
	return a, err
}

// request begins a message of the model: tools go into its request, and body is that request as it is sent.
func (a *agent) request(model string, bodyOf func(system string, tools []jsontext.Value) []byte) *client.Request {
	a.about.Turn++
	a.state.Step()
	body := bodyOf(a.system, a.array.Next(model, a.loaded...))
	a.ids.SeeRequest(body)
	return a.c.RequestStart(a.about, "anthropic", body) // End it with the usage of the answer
}

// call does what the model asks for and returns the tool's result for it.
func (a *agent) call(ctx context.Context, name string, arguments []byte, run func(arguments []byte) (string, error)) string {
	call := a.c.ToolCallStart(a.about, name, arguments)
	call.State, call.IDs = a.state, a.ids
	d, err := call.Check(ctx)
	if err != nil {
		return err.Error() // a text for the model
	}
	result, err := run(d.Arguments)
	if err != nil {
		call.End(events.OutcomeExecutionError, "tool_error")
		return err.Error()
	}
	call.End(events.OutcomeOK, "")
	return result
}

// load answers the tool load_tools.
func (a *agent) load(names ...string) string {
	loaded := a.c.Load(a.about, a.loader, names...)
	a.loaded = append(a.loaded, loaded.Names...)
	return loaded.Text()
}

func TestTheWholeAgentOfThePageRuns(t *testing.T) {
	source, err := os.ReadFile("docs_program_test.go")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../docs/activation-for-agents.md")
	if err != nil {
		t.Fatal(err)
	}
	whole, _, _ := strings.Cut(string(source), "\nfunc Test")
	code := strings.TrimSpace(whole[strings.Index(whole, "// agent is one conversation"):])
	if !strings.Contains(string(page), code) {
		t.Error("the page has another agent than this file")
	}
	tools := []activation.Tool{
		{Name: "load_tools", Definition: jsontext.Value(`{"name":"load_tools","description":"Load tools.","input_schema":{"type":"object"}}`)},
		{Name: "get_order", Server: "shop", Deferred: true, Definition: jsontext.Value(`{"name":"get_order","description":"Get an order.","input_schema":{"type":"object"}}`)},
	}
	a, err := newAgent(nil, events.Context{ConversationID: "c"}, tools)
	if err != nil {
		t.Fatal(err)
	}
	body := func(string, []jsontext.Value) []byte { return []byte(`{"messages":[]}`) }
	run := func([]byte) (string, error) { return "17: sent", nil }
	a.request("some-model", body)
	if got := a.call(t.Context(), "get_order", []byte(`{}`), run); !strings.Contains(got, "not loaded") {
		t.Errorf("have %s", got)
	}
	if got := a.load("get_order"); !strings.Contains(got, "get_order") || len(a.loaded) != 1 {
		t.Errorf("have %s", got)
	}
	a.request("some-model", func(_ string, tools []jsontext.Value) []byte {
		if len(tools) != 2 {
			t.Errorf("%d tools", len(tools))
		}
		return body("", nil)
	})
	if got := a.call(t.Context(), "get_order", []byte(`{}`), run); got != "17: sent" {
		t.Errorf("have %s", got)
	}
}
