package mcpserver_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tooltrail/tooltrail/capture"
	"github.com/tooltrail/tooltrail/capture/mcpserver"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
)

var noon = time.Date(2026, 3, 8, 12, 0, 0, 0, time.UTC)

func TestAListingIsSaidInEvents(t *testing.T) {
	l, err := mcpserver.List(t.Context(), config(t, "mixed"))
	if err != nil {
		t.Fatal(err)
	}
	evs, bad := l.Events(events.Digester{}, noon)
	if len(bad) > 0 || len(evs) != 3 {
		t.Fatalf("%d events, %v", len(evs), bad)
	}
	first, ok := evs[0].Data.(*events.ToolDefinition)
	if !ok || first.ToolName != "first" || first.Server != "hostile" || first.Release != "1" || first.WireDigest != l.Tools[0].Digests.Wire {
		t.Errorf("have %+v", evs[0].Data)
	}
	roster, ok := evs[2].Data.(*events.ToolRoster)
	if !ok || roster.Reason != events.RosterListChanged || roster.Server != "hostile" || roster.Release != "1" || len(roster.Tools) != 6 {
		t.Errorf("have %+v", evs[2].Data)
	}
	again, _ := l.Events(events.Digester{}, noon.Add(time.Hour))
	if again[0].ID != evs[0].ID || again[2].ID == evs[2].ID {
		t.Error("a definition is said once, a roster each time")
	}
}

func TestWhatDoesNotFitIntoAnEventIsToldAndTheRestIsSaid(t *testing.T) {
	l := &mcpserver.Listing{Server: "s", Tools: []mcpserver.Tool{tool(t, "a", "")}}
	for i := range 3_000 {
		l.Tools = append(l.Tools, tool(t, fmt.Sprintf("tool_%d", i), ""))
	}
	evs, bad := l.Events(events.Digester{}, noon)
	if len(evs) != 3_001 || len(bad) != 1 || !strings.Contains(bad[0].Error(), "say the list of tools") {
		t.Errorf("%d events, %v", len(evs), bad)
	}
}

func TestADefinitionTooLongForAnEventIsNotUsable(t *testing.T) {
	cfg := config(t, "large")
	l, err := mcpserver.List(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if len(l.ToolDefinitions()) != 0 || len(l.Problems) != 1 || !strings.Contains(l.Problems[0].Reason, "a definition of 1048") {
		t.Errorf("have %v", l.Problems)
	}
}

// tool makes a tool of a description.
func tool(t *testing.T, name, description string) mcpserver.Tool {
	t.Helper()
	raw := fmt.Sprintf(`{"name":%q,"description":%q,"inputSchema":{"type":"object"}}`, name, description)
	digests, err := events.Digester{}.Tool([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return mcpserver.Tool{Name: name, Definition: []byte(raw), Digests: digests, Usable: true}
}

func TestTheLineOfAListingIsReadAsARelease(t *testing.T) {
	l, err := mcpserver.List(t.Context(), config(t, "odd"))
	if err != nil {
		t.Fatal(err)
	}
	line, err := l.Line(noon)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(line), "\n"); n != 1 || line[len(line)-1] != '\n' {
		t.Errorf("%d ends of lines in %q", n, line)
	}
	releases, err := drift.ReadReleases(line)
	if err != nil || len(releases) != 1 {
		t.Fatalf("%v, %v", releases, err)
	}
	r := releases[0]
	want := `{"inputSchema":{"type":"object","properties":{"\u0061":{"maximum":1.0e2}}},"name":"odd\u002fname","description":"a < b \/ c & d \u2028 é"}`
	if r.Name != "1" || r.Server != "hostile" || !r.At.Equal(noon) || string(r.Tools[0]) != want {
		t.Errorf("have %+v, %s", r, r.Tools[0])
	}
}

// TestTheSameListHasTheSameDigestFromALineAndFromTheServer: the store knows a list whichever way it came.
func TestTheSameListHasTheSameDigestFromALineAndFromTheServer(t *testing.T) {
	l := &mcpserver.Listing{Server: "s", Release: "1", Tools: []mcpserver.Tool{tool(t, "b", "x"), tool(t, "a", "y")}}
	line, err := l.Line(noon)
	if err != nil {
		t.Fatal(err)
	}
	evs, _ := l.Events(events.Digester{}, noon)
	var digests, ids []string
	note := func(e *events.Event) {
		switch d := e.Data.(type) {
		case *events.ToolRoster:
			digests = append(digests, d.RosterDigest)
		case *events.ToolDefinition:
			ids = append(ids, e.ID)
		}
	}
	for _, e := range evs {
		note(e)
	}
	file := t.TempDir() + "/history.jsonl"
	write(t, file, line)
	r, err := capture.Open(file, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Read(context.Background(), func(e *events.Event) error { note(e); return nil }); err != nil {
		t.Fatal(err)
	}
	if len(digests) != 2 || digests[0] != digests[1] || len(ids) != 4 || !slices.Equal(ids[:2], ids[2:]) {
		t.Errorf("digests %v, ids %v", digests, ids)
	}
}
