package client_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/client"
	"github.com/tooltrail/tooltrail/events"
)

// The functions below hold the code of the pages on rosters and activation, so that it compiles. Some run in tests.

func gate(ctx context.Context, call *client.Call) string {
	_, err := call.Check(ctx)
	var refusal *activation.Refusal
	if errors.As(err, &refusal) {
		return refusal.Error() // the tool's result, for the model; refusal.Reason is for the agent
	}
	return ""
}

func load(c *client.Client, about events.Context, state *activation.State, may, allowed, canShow func(activation.Tool) bool, names []string) string {
	loader, err := activation.NewLoader(state, activation.Checks{Permitted: may, Policy: allowed, Capable: canShow})
	if errors.Is(err, activation.ErrNothingDeferred) {
		return "" // every tool is callable as it is: give the model no activation tool
	}
	loaded := c.Load(about, loader, names...)
	return loaded.Text() // the activation tool's result
}

func rosterOf(path string, tools []activation.Tool) (*activation.Roster, error) {
	cfg := analyzer.DefaultConfig()
	if err := cfg.UseSettings(path); err != nil {
		return nil, err
	}
	return activation.NewRoster(activation.RosterInput{Tools: tools, Settings: cfg.Activation}), nil
}

type modelRequest struct{ Tools []jsontext.Value }

func nextTools(request *modelRequest, roster *activation.Roster, model string, loaded activation.Loaded) error {
	array, err := activation.NewToolArray(roster, activation.ArrayOptions{})
	if err != nil {
		return err // a model on the list without its proofs
	}
	request.Tools = array.Next(model, loaded.Names...)
	return nil
}

func idsOf(ctx context.Context, c *client.Client, state *activation.State, about events.Context, body, answer []byte, name string, arguments []byte) (client.Decision, error) {
	ids := c.NewIDs(activation.IDSettings{}) // one a conversation, from its first message on
	ids.SeeRequest(body)                     // before each request, with the JSON that is sent
	ids.SeeResponse(answer)                  // with each answer, before its calls, where the provider runs tools
	call := c.ToolCallStart(about, name, arguments)
	call.State, call.IDs = state, ids
	decision, err := call.Check(ctx) // an id that nothing gave the model is in the call's event from here on
	return decision, err
}

func show(c *client.Client, about events.Context, roster *activation.Roster) string {
	text := c.ShowRoster(events.ToolRoster{Context: about}, roster, activation.TextOptions{Loader: "load_tools"})
	return text
}

func TestTheCodeOfThePagesOnRostersCompiles(t *testing.T) {
	source, err := os.ReadFile("docs_activation_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for page, want := range map[string]int{"rosters.md": 2, "activation-for-agents.md": 3, "settings.md": 1} {
		text, err := os.ReadFile("../docs/" + page)
		if err != nil {
			t.Fatal(err)
		}
		blocks := strings.Split(string(text), "\n```go\n")[1:]
		if page == "rosters.md" {
			blocks = blocks[1:] // that of an example of package activation
		}
		blocks = slices.DeleteFunc(blocks, func(block string) bool { return strings.HasPrefix(block, "// agent is") }) // the whole agent of another test
		for _, block := range blocks {
			code, _, _ := strings.Cut(block, "```")
			if code = "\t" + strings.ReplaceAll(strings.TrimSuffix(code, "\n"), "\n", "\n\t"); !strings.Contains(string(source), code+"\n") {
				t.Errorf("%s has code that is not in this file:\n%s", page, code)
			}
		}
		if len(blocks) != want {
			t.Errorf("%s has %d pieces of code, want %d", page, len(blocks), want)
		}
	}
}

func TestTheCodeOfThePagesOnRostersRuns(t *testing.T) {
	tools := []activation.Tool{{Name: "a", Deferred: true, Definition: jsontext.Value(`{"name":"a"}`)}, {Name: "load_tools"}}
	r, err := rosterOf("", tools)
	if err != nil {
		t.Fatal(err)
	}
	state := activation.NewState(r)
	all := func(activation.Tool) bool { return true }
	if got, want := load(nil, events.Context{}, state, all, all, all, []string{"a"}), "Loaded: a. It can be called from your next message on."; got != want {
		t.Errorf("have %s", got)
	}
	if got := show(nil, events.Context{}, r); !strings.Contains(got, "\n- a\n") {
		t.Errorf("have %s", got)
	}
	var request modelRequest
	if err := nextTools(&request, r, "some-model", activation.Loaded{Names: []string{"a"}}); err != nil || len(request.Tools) != 1 {
		t.Errorf("%d tools, %v", len(request.Tools), err)
	}
	if _, err := idsOf(t.Context(), nil, state, events.Context{}, []byte(`{"messages":[]}`), []byte(`{"content":[]}`), "load_tools", nil); err != nil {
		t.Error(err)
	}
	var c *client.Client
	if got := gate(t.Context(), c.ToolCallStart(events.Context{}, "a", nil)); got != "" {
		t.Errorf("have %s", got)
	}
}
