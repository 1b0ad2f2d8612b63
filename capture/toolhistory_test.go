package capture

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/events/eventstest"
)

func TestToolHistoryGivesARosterARelease(t *testing.T) {
	r, err := Open(eventstest.SharedFile(t, "mcp-tool-history.jsonl"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.Format() != "tool-history" {
		t.Errorf("format %s", r.Format())
	}
	all := drain(t, r)
	tools := map[string]int{}
	ids := map[string]bool{}
	for _, e := range all {
		if ids[e.ID] {
			t.Errorf("two events have the id %s", e.ID)
		}
		ids[e.ID] = true
		if ro, ok := e.Data.(*events.ToolRoster); ok {
			tools[ro.Release] = len(ro.Tools)
			if ro.Reason != events.RosterDeploy || ro.Server != "github" {
				t.Errorf("%s: reason %s, server %s", ro.Release, ro.Reason, ro.Server)
			}
		}
	}
	if len(tools) != 43 || tools["v0.23.0"] != 64 || tools["v0.24.0"] != 95 {
		t.Errorf("%d releases: %v", len(tools), tools)
	}
	sent := map[string]bool{}
	for _, d := range only[*events.ToolDefinition](all) {
		key := d.ToolName + d.WireDigest
		if sent[key] {
			t.Errorf("definition of %s sent twice", d.ToolName)
		}
		sent[key] = true
	}
}

func TestToolHistorySaysWhatIsWrongWithALine(t *testing.T) {
	lines := []string{
		`{"release":"v1","released_at":"2026-01-01T00:00:00Z","server":"s","tools":[{"name":"a","inputSchema":{}}]}`,
		`{"release":"v2","released_at":"yesterday","server":"s","tools":[]}`,
		`{"release":"v3","released_at":"2026-01-03T00:00:00Z","server":"s"}`,
		`{"release":"v4","released_at":"2026-01-04T00:00:00Z","server":"s","tools":[{"description":"no name"}]}`,
		`{"release":`,
		`{"release":"v5","released_at":"2026-01-05T00:00:00Z","server":"s","tools":[{"name":"a","inputSchema":{}}]}`,
	}
	all, problems := readAll(t, strings.Join(lines, "\n"), Options{})
	want := []string{
		"test:2: released_at is not a time as in RFC 3339",
		"test:3: not a release: no release or no tools",
		"test:4: tools: tool 0: /name: missing",
		"test:5: not a release: no JSON at byte 11",
	}
	if diff := cmp.Diff(want, problems); diff != "" {
		t.Error(diff)
	}
	if n := len(only[*events.ToolRoster](all)); n != 2 {
		t.Errorf("%d rosters", n)
	}
	if n := len(only[*events.ToolDefinition](all)); n != 1 {
		t.Errorf("%d definitions, want the same content once", n)
	}
}
