package capture

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/events/eventstest"
)

// activity is what one recorded conversation has of calls and activations.
type activity struct {
	id                      string
	requests, calls, loaded int
	activations             []string
	// names are the tools that became callable on the way.
	names map[string]bool
}

// add takes the conversation's next event.
func (a *activity) add(data events.Data) {
	switch d := data.(type) {
	case *events.RequestPrefix:
		a.requests++
	case *events.ToolCall:
		a.calls++
		name := d.ToolName
		if d.ResolvedName != "" {
			name = d.ResolvedName
		}
		if a.names[name] {
			a.loaded++
		}
	case *events.Activation:
		for _, name := range d.Loaded {
			a.names[name] = true
		}
		a.activations = append(a.activations, fmt.Sprintf("request %d, %s: `%s`", d.Turn, d.Via, strings.Join(d.Loaded, "`, `")))
	}
}

// conversationOf returns the conversation of an event; empty where it is of none.
func conversationOf(data events.Data) string {
	switch d := data.(type) {
	case *events.RequestPrefix:
		return d.ConversationID
	case *events.ToolCall:
		return d.ConversationID
	case *events.Activation:
		return d.ConversationID
	}
	return ""
}

// activities sorts events by conversation. Calls come after the activations before them, though an event of a call is sent when
// its result is known.
func activities(all []*events.Event) []*activity {
	var list []*activity
	byID := map[string]*activity{}
	for _, calls := range []bool{false, true} {
		for _, e := range all {
			id := conversationOf(e.Data)
			if _, isCall := e.Data.(*events.ToolCall); id == "" || isCall != calls {
				continue
			}
			if byID[id] == nil {
				byID[id] = &activity{id: id, names: map[string]bool{}}
				list = append(list, byID[id])
			}
			byID[id].add(e.Data)
		}
	}
	return list
}

const activationsPage = `# Activations in recorded exchanges

Which tools became callable inside each of the %d recorded conversations with model providers, and by what: ` + "`tool_search`" + ` is a search that found them, at the provider or in the agent,
` + "`tool_addition`" + ` definitions that the messages brought along, ` + "`activation_tool`" + ` a tool of the agent's own whose result named them before they stood in the next request. A tool that
is found again in a later request is told again. Where a recording begins behind a search of the agent's own, with the tools that it found in the first request (the three R\*-T5 with a search), there was nothing to see coming: none.
The three R5 have a search whose result names no tool. The same test holds the table against the recordings' bytes: whatever they mark as found or added is in it.

%d of the conversations have activations. All %d calls are legal, %d of them of tools that became callable on the way: none is called unknown, none not activated. A test of package capture makes this table
(` + "`go test ./capture -run ActivationsOfRecordings -update`" + `) and fails when one differs; it needs the recordings, which are not part of this repository.

| | conversation | requests | calls | of tools loaded on the way | activations |
|---|---|---|---|---|---|
`

func TestThePageOfActivationsOfRecordingsIsTrueAndAllTheirCallsAreLegal(t *testing.T) {
	all, _ := captureAll(t, eventstest.SharedFile(t, "llm-exchanges.jsonl"), Options{})
	for _, c := range only[*events.ToolCall](all) {
		if c.Resolution != events.ResolvedOK {
			t.Errorf("%s turn %d calls %s: %s", c.ConversationID, c.Turn, c.ToolName, c.Resolution)
		}
		if len(c.MadeUpIDs) > 0 {
			t.Errorf("%s turn %d calls %s with made-up ids at %s", c.ConversationID, c.Turn, c.ToolName, c.MadeUpIDs[0].Path)
		}
	}
	list := activities(all)
	var rows strings.Builder
	active, calls, loaded := 0, 0, 0
	for i, a := range list {
		cell := "none"
		if len(a.activations) > 0 {
			cell = strings.Join(a.activations, "; ")
			active++
		}
		calls, loaded = calls+a.calls, loaded+a.loaded
		fmt.Fprintf(&rows, "| %d | `%s` | %d | %d | %d | %s |\n", i+1, a.id, a.requests, a.calls, a.loaded, cell)
	}
	sameAsDoc(t, "../docs/activations-of-recordings.md", fmt.Sprintf(activationsPage, len(list), active, calls, loaded)+rows.String())
	if len(list) != 60 || loaded == 0 {
		t.Errorf("%d conversations, %d calls of loaded tools", len(list), loaded)
	}
}

// marked calls fn with each tool that a part of a recording marks as found or added.
func marked(v jsontext.Value, fn func(name string)) {
	if elements(v, func(e jsontext.Value) { marked(e, fn) }) {
		return
	}
	switch stringOf(member(v, "type")) {
	case "tool_reference":
		fn(stringOf(member(v, "tool_name")))
	case "tool_search_output", "additional_tools":
		elements(member(v, "tools"), func(e jsontext.Value) { fn(stringOf(member(e, "name"))) })
	case "tool_addition":
		fn(stringOf(member(member(v, "tool"), "name")))
	}
	members(v, func(_ string, e jsontext.Value) { marked(e, fn) })
}

func TestWhatRecordingsMarkAsFoundOrAddedIsAnActivation(t *testing.T) {
	path := eventstest.SharedFile(t, "llm-exchanges.jsonl")
	all, _ := captureAll(t, path, Options{})
	names := map[string]map[string]bool{}
	for _, a := range activities(all) {
		names[a.id] = a.names
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for line := range bytes.Lines(raw) {
		id := stringOf(member(line, "conversation"))
		marked(line, func(name string) {
			found++
			if name != "" && !names[id][name] {
				t.Errorf("%s: %s is no activation", id, name)
			}
		})
	}
	if found == 0 {
		t.Error("nothing is marked")
	}
	t.Logf("%d marks", found)
}
