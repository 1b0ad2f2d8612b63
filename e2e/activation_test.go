package e2e

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/cli/report"
	"github.com/tooltrail/tooltrail/client"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/store"
)

const (
	sonnet = "claude-sonnet-4-5"
	gpt    = "gpt-5.1"
)

// smallInputs has the conversations of the small inputs, by two agents with two models.
func smallInputs(t *testing.T, c *client.Client) {
	t.Helper()
	start := func(agent, model, conversation string, in activation.RosterInput) *chat {
		return newChat(t, c, events.Context{AgentName: agent, RequestModel: model, ConversationID: conversation}, in)
	}
	refused := func(k *chat, name, arguments string, want activation.Reason) {
		if got := k.call(name, arguments); got != want {
			t.Errorf("%s, %s: refused for %q, want %q", k.about.ConversationID, name, got, want)
		}
	}
	one := func(tools ...activation.Tool) activation.RosterInput { return activation.RosterInput{Tools: tools} }

	k := start("desk", sonnet, "case", one(activation.Tool{Name: "web_search"}))
	for range 3 {
		refused(k, "WebSearch", `{"query":"weather"}`, activation.ReasonUnknown)
		k.next()
	}
	refused(start("bot", gpt, "near", one(activation.Tool{Name: "central_get_sites"})), "central_list_sites", `{}`, activation.ReasonUnknown)
	refused(start("desk", sonnet, "doubled", one(activation.Tool{Name: "codegraph_codegraph_explore"})), "codegraph_explore", `{}`, activation.ReasonUnknown)
	refused(start("desk", sonnet, "dropped", one(activation.Tool{Name: "mcp__basic_memory__list_memory_projects"})), "list_memory_projects", `{}`, activation.ReasonUnknown)
	refused(start("bot", gpt, "server", one(activation.Tool{Name: "do_thing", Server: "my__server"})), "mcp__my__server__do_thing", `{}`, "")

	k = start("desk", sonnet, "early", one(activation.Tool{Name: "edit_file", Server: "files", Deferred: true}))
	refused(k, "edit_file", `{"wrong":1}`, activation.ReasonNotActivated)
	k.next()
	if out := k.load("edit_file"); !slices.Equal(out.Names, []string{"edit_file"}) {
		t.Errorf("loaded %+v", out)
	}
	refused(k, "edit_file", `{"path":"a"}`, "")

	refused(start("bot", gpt, "bridge", one(activation.Tool{Name: "edit_file", Server: "files"})), "tool_call", `{"name":"edit_file","arguments":{"path":"a"}}`, "")
	asksForConnectors(t, start("desk", sonnet, "connector", one(
		activation.Tool{Name: "issue_write", Server: "github", Deferred: true}, activation.Tool{Name: "issue_read", Server: "github", Deferred: true})))
	if err := c.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// asksForConnectors asks for a connector by its name, in another case and misspelt, with work in between.
func asksForConnectors(t *testing.T, k *chat) {
	t.Helper()
	tools := []string{"issue_read", "issue_write"}
	for _, tt := range []activation.Refused{
		{Name: "github", Reason: events.RefusedConnectorName, Server: "github", Tools: tools},
		{Name: "GitHub", Reason: events.RefusedConnectorName, Server: "github", Tools: tools},
		{Name: "githb", Reason: events.RefusedUnknown},
	} {
		out := k.load(tt.Name)
		if diff := gocmp.Diff([]activation.Refused{tt}, out.Refused); diff != "" || len(out.Names) > 0 {
			t.Errorf("loaded %v; %s", out.Names, diff)
		}
		if tt.Reason == events.RefusedUnknown {
			k.namesNoOther(tt.Name, out.Text())
		}
		k.next()
	}
}

// broken is what the report has to say of one rule.
type broken struct {
	Count, Tokens, Conversations uint64
	Agents, Models, Worst, Hows  map[string]uint64
	Action                       string
}

// brokenRules returns what the report says of the rules that were broken.
func brokenRules(r *activation.Report) map[string]broken {
	all := map[string]broken{}
	for name, rule := range r.Rules {
		if rule.Count > 0 {
			all[name] = broken{
				rule.Count, rule.Tokens, rule.Conversations, countsOf(rule.Agents), countsOf(rule.Models), countsOf(rule.Worst), countsOf(rule.Hows), rule.Action,
			}
		}
	}
	return all
}

type counts = map[string]uint64

// wantBroken is what the small inputs break, and nothing else.
var wantBroken = map[string]broken{
	"guessed": {
		4, 400, 2, counts{"desk": 3, "bot": 1}, counts{sonnet: 3, gpt: 1}, counts{"case": 3, "near": 1}, counts{"case": 3, "near": 1},
		"Put web_search into the roster in front of the model of desk and 1 more agent, written as it has to be called.",
	},
	"loop": {
		1, 300, 1, counts{"desk": 1}, counts{sonnet: 1}, counts{"case": 1}, counts{"refused": 1},
		"Make the error of the tool say what to do instead, and stop desk after the same call has failed twice.",
	},
	"prefix_repair": {
		2, 200, 2, counts{"desk": 2}, counts{sonnet: 2}, counts{"doubled": 1, "dropped": 1}, counts{"doubled_prefix": 1, "dropped_prefix": 1},
		"Show codegraph_codegraph_explore by its full name in the roster of desk, and use one prefix a server.",
	},
	"not_activated": {
		1, 100, 1, counts{"desk": 1}, counts{sonnet: 1}, counts{"early": 1}, nil,
		"Tell the model of desk to load edit_file first, together with the tool that supplies its arguments, and to call it in the next step.",
	},
	"activation_refused": {
		3, 0, 1, counts{"desk": 3}, counts{sonnet: 3}, counts{"connector": 3}, counts{"connector_name": 2, "unknown": 1},
		"Compare GitHub with the roster of desk, and the roster with what may be used there.",
	},
	"activation_failed": {
		3, 0, 1, counts{"desk": 3}, counts{sonnet: 3}, counts{"connector": 3}, counts{"activation_tool": 3},
		"Answer desk with the reason for each name, and compare what was asked for with the roster and the permissions there.",
	},
}

// wantFound is what the findings say of the small inputs, rule and title.
var wantFound = []string{
	"activation_failed: 3 activations loaded nothing of what was asked for",
	"activation_refused: Loading GitHub was refused once: connector name",
	"activation_refused: Loading githb was refused once: unknown",
	"activation_refused: Loading github was refused once: connector name",
	"guessed: WebSearch was called, a guess at a name 3 times; meant was web_search",
	"guessed: central_list_sites was called, a guess at a name once; meant was central_get_sites",
	"loop: The same failing call of web_search was made up to 3 times in a row (conversation case)",
	"not_activated: edit_file was called before it was loaded once",
	"prefix_repair: codegraph_explore was called with the wrong prefix once; meant was codegraph_codegraph_explore",
	"prefix_repair: list_memory_projects was called with the wrong prefix once; meant was mcp__basic_memory__list_memory_projects",
}

// TestTheSmallInputsOfActivationGoThroughTheWholePath sends them through a real client, NATS, the ingester and the engine to the analyzer, and
// holds the report and the findings against what has to be said of them: that, and nothing else.
func TestTheSmallInputsOfActivationGoThroughTheWholePath(t *testing.T) {
	s := newSite(t, 1)
	c := s.orderClient()
	edit := `{"name":"edit_file","inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}}`
	s.registerOne(c, "files", "edit_file", edit)
	smallInputs(t, c)
	db := s.openStore(t.Context())
	const calls = 10
	s.stored(db, calls)
	s.activations(db, 4)

	r := analyze(t, db)
	if r.Activation.Calls != calls || r.Activation.Judged != calls {
		t.Errorf("%d calls, %d looked up, want %d", r.Activation.Calls, r.Activation.Judged, calls)
	}
	if diff := gocmp.Diff(wantBroken, brokenRules(&r.Activation), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
	if diff := gocmp.Diff(wantFound, foundBy(&r, activation.Detector)); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	if found := foundBy(&r, "drift"); len(found) > 0 {
		t.Errorf("a call before its activation, or a wrong name, counts against a schema: %q", found)
	}
	if got := callsOf(t, db, "conversation_id IN ('early', 'bridge', 'server')"); !slices.Equal(got, []string{
		"bridge tool_call tool_call edit_file ok  ok 0", "early edit_file   not_activated  refused 0", "early edit_file   ok  ok 0",
		"server mcp__my__server__do_thing  do_thing ok qualified ok 0",
	}) {
		t.Errorf("stored calls %q", got)
	}
	text := printed(t, &r, report.Style{All: true})
	for _, want := range []string{"WebSearch -> web_search", "guessed", "prefix_repair", "not_activated", "loop", "activation_refused"} {
		if !strings.Contains(text, want) {
			t.Errorf("the printed report has no %q:\n%s", want, text)
		}
	}
}

// registerOne puts one version of a tool into the registry, and waits until the client knows it.
func (s *site) registerOne(c *client.Client, server, tool, definition string) {
	s.t.Helper()
	key := drift.Key{Server: server, Tool: tool}
	if err := c.RegisterDefinition(s.t.Context(), key, "v1", []byte(definition)); err != nil {
		s.t.Fatal(err)
	}
	waitFor(s.t, 10*time.Second, "the client to know "+tool, func() bool {
		d, err := c.Definition(key, "")
		return err == nil && d.Version == "v1"
	})
}

// activations waits until so many activations are in the store.
func (s *site) activations(db *store.DB, n uint64) {
	s.t.Helper()
	var row struct {
		N uint64 `ch:"n"`
	}
	waitFor(s.t, time.Minute, "all activations to be stored", func() bool {
		err := db.Each(s.t.Context(), "SELECT count() AS n FROM activations", nil, &row, func() error { return nil })
		return err == nil && row.N == n
	})
}

// foundBy returns rule and title of a detector's findings, sorted; each must say what to do.
func foundBy(r *analyzer.Report, detector string) []string {
	var all []string
	for _, f := range r.Findings {
		if f.Detector == detector {
			all = append(all, f.Rule+": "+cmp.Or(f.Title, "no title")+missing(&f))
		}
	}
	slices.Sort(all)
	return all
}

func missing(f *finding.Finding) string {
	if f.Action == "" || f.Fingerprint == "" {
		return " (and not what to do)"
	}
	return ""
}

// callsOf returns conversation, name, bridge, meant tool, resolution, how, outcome and validation errors of stored calls.
func callsOf(t *testing.T, db *store.DB, where string) []string {
	t.Helper()
	var row struct {
		Line string `ch:"line"`
	}
	var all []string
	err := db.Each(t.Context(), `SELECT concat(conversation_id, ' ', tool_name, ' ', bridge, ' ', resolved_name, ' ', resolution, ' ', resolution_how, ' ', outcome, ' ',
		toString(length(validation_errors.path))) AS line FROM tool_calls WHERE `+where+` ORDER BY conversation_id, time`, nil, &row, func() error {
		all = append(all, row.Line)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// printed returns a report as a terminal gets it.
func printed(t *testing.T, r *analyzer.Report, style report.Style) string {
	t.Helper()
	var out bytes.Buffer
	if err := report.Write(&out, r, style); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
