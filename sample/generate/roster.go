package main

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/tooltrail/tooltrail/events"
)

// tool is one tool of the agent's roster.
type tool struct {
	server, name, summary string
	schema                string
	deferred, denied      bool
}

const rosterSize = 185

// summaryLimit is the most characters that the roster shows of a summary.
const summaryLimit = 300

// servers and what their tools handle; a tool is a verb and a noun.
var servers = []struct {
	name  string
	nouns []string
}{
	{"billing", []string{"invoice", "refund", "subscription", "payout"}},
	{"calendar", []string{"event", "room", "reminder"}},
	{"crm", []string{"contact", "account", "opportunity", "note"}},
	{"files", []string{"file", "folder", "share"}},
	{"issues", []string{"issue", "label", "milestone", "comment"}},
	{"mail", []string{"message", "draft", "thread"}},
	{"orders", []string{"order", "return", "shipment", "address"}},
	{"people", []string{"employee", "leave", "shift"}},
	{"reports", []string{"report", "dashboard", "export"}},
	{"warehouse", []string{"item", "stock", "bin", "supplier"}},
}

var verbs = []string{"create", "get", "list", "update", "delete"}

// makeTools returns the roster in its order: sorted by name.
func makeTools() []tool {
	var all []tool
	for _, s := range servers {
		for _, n := range s.nouns {
			for _, v := range verbs {
				all = append(all, makeTool(s.name, v+"_"+n))
			}
		}
	}
	for i, extra := 0, []string{"search", "archive", "restore", "tag", "audit"}; len(all) < rosterSize; i++ {
		s := servers[i%len(servers)]
		all = append(all, makeTool(s.name, extra[i/len(servers)%len(extra)]+"_"+s.nouns[0]))
	}
	sort.Slice(all, func(i, j int) bool { return all[i].name < all[j].name })
	return all
}

func makeTool(server, name string) tool {
	verb, noun, _ := strings.Cut(name, "_")
	t := tool{server: server, name: name, deferred: true, summary: verb + " one " + noun + " of " + server + "."}
	switch name {
	case "create_order":
		t.schema = `{"type":"object","properties":{"customer_id":{"type":"string"},"quantity":{"type":"integer","default":0},"unit":{"type":"string"}},"required":["customer_id"]}`
	case "get_report":
		t.summary += strings.Repeat(" Only for the finance team, and only after the month was closed by the controller.", 5)
	}
	if t.schema == "" {
		t.schema = fmt.Sprintf(`{"type":"object","properties":{"%s_id":{"type":"string"},"fields":{"type":"array","items":{"type":"string"}}},"required":["%s_id"]}`, noun, noun)
	}
	for _, always := range []string{"get_contact", "get_order", "search_issue", "list_message"} {
		t.deferred = t.deferred && name != always
	}
	return t
}

func (t tool) definition() []byte {
	return fmt.Appendf(nil, `{"name":%q,"description":%q,"inputSchema":%s}`, t.name, t.summary, t.schema)
}

func (t tool) digests() events.ToolDigests {
	d, err := events.Digester{}.Tool(t.definition())
	if err != nil {
		panic(err) // the definitions are this file's own
	}
	return d
}

func (t tool) rosterTool() events.RosterTool {
	d := t.digests()
	return events.RosterTool{
		Name: t.name, Server: t.server, WireDigest: d.Wire, DefinitionDigest: d.Definition, SchemaDigest: d.Schema, Deferred: t.deferred,
		Denied: t.denied, SummaryLength: int64(len(t.summary)), SummaryCut: len(t.summary) > summaryLimit,
	}
}

// rosters records the definitions, the agent's roster and the releases of two servers.
func rosters(r *recorder) {
	for _, t := range r.tools {
		d := t.digests()
		r.add(start, &events.ToolDefinition{
			Context: events.Context{AgentName: agent}, ToolName: t.name, Server: t.server, SchemaVersion: version(t.name),
			WireDigest: d.Wire, DefinitionDigest: d.Definition, SchemaDigest: d.Schema, Definition: t.definition(),
		})
		if len(t.summary) > summaryLimit {
			r.injected.Others["roster_summary_cut"]++
			r.rule("summary_cut").Count++
		}
	}
	r.add(start, r.roster("", r.tools))
	r.releases()
}

func version(name string) string {
	if name == "create_order" {
		return "v2"
	}
	return "v1"
}

// roster makes the event for a list of tools; reason deploy.
func (r *recorder) roster(server string, tools []tool) *events.ToolRoster {
	e := &events.ToolRoster{Context: events.Context{AgentName: agent, AgentVersion: "11"}, Reason: events.RosterDeploy, Server: server}
	text := ""
	for _, t := range tools {
		e.Tools = append(e.Tools, t.rosterTool())
		text += t.name + ": " + t.summary + "\n"
	}
	e.RosterDigest, e.TextDigest, e.TextLength = r.digest("roster", text), r.digest(text), int64(len(text))
	if server == "" {
		e.NotConnected = []string{"payroll"}
	}
	return e
}

// releases are three lists of the warehouse server, a quarter of whose schemas change in the last, and two of the issues
// server, exactly a twentieth of whose schemas change.
func (r *recorder) releases() {
	warehouse := r.of("warehouse", 20)
	r.release("warehouse", "1.0.0", 0, warehouse)
	described := clone(warehouse)
	for i := range 4 {
		described[i].summary += " Ask for the bin first."
	}
	r.release("warehouse", "1.1.0", 14, described)
	changed := clone(described)
	for i := range 5 {
		changed[i].schema = strings.Replace(changed[i].schema, `"type":"string"`, `"type":"integer"`, 1)
	}
	r.release("warehouse", "1.2.0", 28, changed)
	r.injected.Definitions = append(r.injected.Definitions,
		release{"warehouse", "1.0.0", "1.1.0", 20, 20, 0, 0, 4, 0},
		release{"warehouse", "1.1.0", "1.2.0", 20, 20, 0, 0, 5, 5})

	issues := r.of("issues", 20)
	r.release("issues", "3.0.0", 0, issues)
	one := clone(issues)
	one[0].schema = strings.Replace(one[0].schema, `"fields"`, `"columns"`, 1)
	r.release("issues", "3.0.1", 14, one)
	r.injected.Definitions = append(r.injected.Definitions, release{"issues", "3.0.0", "3.0.1", 20, 20, 0, 0, 1, 1})
}

func (r *recorder) release(server, name string, day int, tools []tool) {
	e := r.roster(server, tools)
	e.Release, e.RosterDigest = name, r.digest(server, name)
	e.Context = events.Context{}
	r.add(start.Add(time.Duration(day)*24*time.Hour+time.Minute), e)
}

// of returns the first n tools of a server.
func (r *recorder) of(server string, n int) []tool {
	var out []tool
	for _, t := range r.tools {
		if t.server == server && len(out) < n {
			out = append(out, t)
		}
	}
	return out
}

func clone(ts []tool) []tool { return append([]tool(nil), ts...) }
