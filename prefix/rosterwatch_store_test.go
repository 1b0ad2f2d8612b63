package prefix_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/prefix"
	"github.com/tooltrail/tooltrail/store"
	"github.com/tooltrail/tooltrail/store/storetest"
)

var rosterStart = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)

// rosterLog makes events of rosters, each a second after the other.
type rosterLog struct {
	t    *testing.T
	all  []*events.Event
	sent map[string]bool
}

func (l *rosterLog) add(data events.Data) {
	n := len(l.all)
	l.all = append(l.all, &events.Event{
		ID: fmt.Sprintf("018f0000-0000-7000-8000-%012d", n+1), Source: "test", Time: rosterStart.Add(time.Duration(n) * time.Second), Data: data,
	})
}

// roster adds a roster of version 1 of an agent with some definitions, and those definitions that were not sent before.
func (l *rosterLog) roster(conversation string, reason events.RosterReason, text string, definitions ...string) {
	l.t.Helper()
	about := events.Context{ConversationID: conversation, AgentName: "agent", AgentVersion: "1"}
	r := &events.ToolRoster{Context: about, Reason: reason}
	if text != "" {
		r.TextDigest, r.TextLength = events.Digester{}.Full([]byte(text)), int64(len(text))
	}
	for _, raw := range definitions {
		def, err := events.ParseTool([]byte(raw))
		if err != nil {
			l.t.Fatal(err)
		}
		d, err := events.Digester{}.Tool([]byte(raw))
		if err != nil {
			l.t.Fatal(err)
		}
		r.Tools = append(r.Tools, events.RosterTool{Name: def.Name, WireDigest: d.Wire, DefinitionDigest: d.Definition, SchemaDigest: d.Schema})
		if !l.sent[d.Wire] && !strings.Contains(raw, "unsent") {
			l.add(&events.ToolDefinition{
				ToolName: def.Name, WireDigest: d.Wire, DefinitionDigest: d.Definition, SchemaDigest: d.Schema, Definition: []byte(raw),
			})
		}
		l.sent[d.Wire] = true
	}
	r.RosterDigest = events.Digester{}.Full([]byte(strings.Join(definitions, "\n") + text))
	l.add(r)
}

// stored puts the events into a store and analyzes it.
func (l *rosterLog) stored() (*store.DB, prefix.Report, map[string]finding.Finding) {
	l.t.Helper()
	db := openStore(l.t)
	storetest.Insert(l.t, db, l.all)
	report, found, err := prefix.Analyze(l.t.Context(), db, finding.Window{}, prefix.DefaultSettings())
	if err != nil {
		l.t.Fatal(err)
	}
	rules := map[string]finding.Finding{}
	for _, f := range found {
		rules[f.Rule] = f
	}
	return db, report, rules
}

const (
	defA  = `{"name":"A","description":"a","input_schema":{"type":"object"}}`
	defAx = `{"name":"A","description":"b","input_schema":{"type":"object"}}`
	defAm = `{"name":"A","description":"a","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"}}`
	defB  = `{"name":"B","description":"b","input_schema":{"type":"object"}}`
	defBe = `{"description":"b","name":"B","input_schema":{"type":"object"}}`
	defU  = `{"name":"U","description":"unsent","input_schema":{"type":"object"}}`
)

func TestARosterWhoseTextChangesInAConversationIsFound(t *testing.T) {
	l := &rosterLog{t: t, sent: map[string]bool{}}
	for _, r := range []struct {
		conversation string
		reason       events.RosterReason
		text         string
		tools        []string
	}{
		{"changed", "deploy", "one", []string{defAm, defB}}, {"changed", "unknown", "two", []string{defAx, defB}},
		{"told", "deploy", "one", []string{defA}}, {"told", "permission", "two", []string{defA, defB}}, {"told", "list_changed", "three", []string{defB}},
		{"same", "deploy", "one", []string{defA}}, {"same", "unknown", "one", []string{defA}},
		{"textless", "deploy", "", []string{defA}}, {"textless", "unknown", "", []string{defB}},
		{"not stored", "deploy", "one", []string{defU, defA}}, {"not stored", "unknown", "two", []string{defU, defB}},
		{"text alone", "deploy", "one", []string{defA}}, {"text alone", "unknown", "two", []string{defA}},
	} {
		l.roster(r.conversation, r.reason, r.text, r.tools...)
	}
	_, report, rules := l.stored()
	got := map[string]string{}
	for _, c := range report.RosterChanges {
		at := "-"
		if c.Place.Byte != nil {
			at = fmt.Sprint(*c.Place.Byte)
		}
		got[c.Conversation] = fmt.Sprintf("%d %s %s", c.Place.Tool, c.Place.Known, at)
		if c.Before != (events.Digester{}).Full([]byte("one")) || c.After != (events.Digester{}).Full([]byte("two")) {
			t.Errorf("%s: texts %s and %s", c.Conversation, c.Before, c.After)
		}
	}
	byteOfA := fmt.Sprint(len(`[{"name":"A","description":"`)) // a cache marker moves no byte
	want := map[string]string{"changed": "0 byte " + byteOfA, "not stored": "1 tool -", "text alone": "-1 none -"}
	if d := gocmp.Diff(want, got); d != "" {
		t.Errorf("changes (-want +got):\n%s", d)
	}
	if f := rules[prefix.RuleRosterChanged]; f.Severity != finding.Warning || f.Subject.Conversation == "" || f.Action == "" {
		t.Errorf("finding %+v", f)
	}
}

func TestOneSetOfToolsInTwoOrdersIsFoundAcrossConversations(t *testing.T) {
	l := &rosterLog{t: t, sent: map[string]bool{}}
	for _, conversation := range []string{"1", "2", "3"} {
		l.roster(conversation, "unknown", "", defA, defB)
	}
	l.roster("4", "unknown", "", defB, defA)
	l.roster("5", "unknown", "", defA) // another set
	_, report, rules := l.stored()
	if len(report.Nondeterminism) != 1 {
		t.Fatalf("found %+v", report.Nondeterminism)
	}
	n := report.Nondeterminism[0]
	a, b := n.Sent[0], n.Sent[1]
	if n.Kind != prefix.OtherOrder || n.Agent != "agent" || n.Version != "1" || a.Conversations != 3 || b.Conversations != 1 ||
		strings.Join(a.Names, " ") != "A B" || strings.Join(b.Names, " ") != "B A" || n.Index != 0 {
		t.Errorf("found %+v", n)
	}
	f := rules[prefix.RuleNondeterminism]
	if f.Title != "The same 2 tools are sent in 2 orders: [A, B] in 3 conversations, [B, A] in 1 conversation" || !strings.Contains(f.Action, "Sort tools by name") {
		t.Errorf("finding %+v", f)
	}
}

func TestOneSetOfToolsInTwoEncodingsIsFoundAcrossConversations(t *testing.T) {
	l := &rosterLog{t: t, sent: map[string]bool{}}
	l.roster("1", "unknown", "", defA, defB)
	l.roster("2", "unknown", "", defA, defBe)
	_, report, rules := l.stored()
	if len(report.Nondeterminism) != 1 || report.Nondeterminism[0].Kind != prefix.OtherEncoding || report.Nondeterminism[0].Tool != "B" {
		t.Fatalf("found %+v", report.Nondeterminism)
	}
	if f := rules[prefix.RuleNondeterminism]; f.Subject.Tool != "B" || !strings.Contains(f.Title, "in several encodings") {
		t.Errorf("finding %+v", f)
	}
}

func TestOneConversationAloneIsNoNondeterminism(t *testing.T) {
	l := &rosterLog{t: t, sent: map[string]bool{}}
	l.roster("1", "unknown", "", defA, defB)
	l.roster("1", "unknown", "", defB, defA)
	if _, report, _ := l.stored(); len(report.Nondeterminism) != 0 {
		t.Errorf("found %+v", report.Nondeterminism)
	}
}

func TestRequestsWithoutARosterStandForTheirOwnTools(t *testing.T) {
	l := &rosterLog{t: t, sent: map[string]bool{}}
	short := func(s string) string { return events.Digester{}.Short([]byte(s)) }
	for i, order := range [][2]string{{"A", "B"}, {"A", "B"}, {"B", "A"}} {
		var tools []events.PrefixTool
		for _, name := range order {
			tools = append(tools, events.PrefixTool{Name: name, Digest: short(name)})
		}
		l.add(&events.RequestPrefix{
			Context: events.Context{ConversationID: fmt.Sprint("c", i), AgentName: "agent"}, ToolsKnown: true, Tools: tools,
			Status: events.StatusOK, StartTime: rosterStart,
		})
	}
	_, report, _ := l.stored()
	if n := report.Nondeterminism; len(n) != 1 || n[0].Sent[0].Conversations != 2 || n[0].Sent[1].Names[0] != "B" {
		t.Errorf("found %+v", n)
	}
}
