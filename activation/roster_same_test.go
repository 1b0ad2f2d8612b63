package activation

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/tooltrail/tooltrail/events"
)

// orderTool is a deferred get_order of a server, whose definition says so.
func orderTool(server string) Tool {
	def := fmt.Sprintf(`{"name": "get_order","description":"Reads an order of %s.","input_schema":{"type":"object","properties":{"name":{"type":"string"}}}}`, server)
	return Tool{Name: "get_order", Server: server, Deferred: true, Definition: jsontext.Value(def)}
}

func TestToolsOfOneNameOnTwoServersAreWrittenWithTheirServers(t *testing.T) {
	for _, order := range [][]string{{"shop", "crm"}, {"crm", "shop"}} {
		r := NewRoster(RosterInput{Tools: []Tool{orderTool(order[0]), orderTool(order[1])}})
		text := r.Text(TextOptions{Header: "-\n"})
		if want := "-\n\n## Server crm\n- crm__get_order: Reads an order of crm.\n\n## Server shop\n- shop__get_order: Reads an order of shop.\n"; text != want {
			t.Errorf("%v: text %q", order, text)
		}
		s := NewState(r)
		if res := s.Resolve("get_order"); res.Resolution != events.ResolvedPrefixRepair || res.How != HowCollision || res.Name != "" {
			t.Errorf("%v: bare name %+v", order, res)
		}
		if no := s.Refuse("get_order", nil); no == nil || no.Reason != ReasonUnknown {
			t.Errorf("%v: bare name refused for %+v", order, no)
		}
		if c := r.Collisions(); len(c) != 1 || !slices.Equal(slices.Sorted(slices.Values(c[0])), []string{"crm__get_order", "shop__get_order"}) {
			t.Errorf("%v: collisions %v", order, c)
		}
		if err := r.CheckDefinitions(); err != nil {
			t.Errorf("%v: %v", order, err)
		}
		l, err := NewLoader(s, Checks{})
		if err != nil {
			t.Fatal(err)
		}
		if got := l.Load("get_order"); len(got.Names) > 0 {
			t.Errorf("%v: loaded %v by a name of two tools", order, got.Names)
		}
		got := l.Load("shop/get_order")
		s.Step()
		array := r.Array(got.Names...)
		if len(array) != 1 || !strings.Contains(string(array[0]), `"name": "shop__get_order","description":"Reads an order of shop."`) {
			t.Errorf("%v: array %s", order, array)
		}
		for _, name := range []string{"shop__get_order", "mcp__shop__get_order", "shop.get_order"} {
			if res := s.Resolve(name); res.Resolution != events.ResolvedOK || res.Server != "shop" || res.Name != "shop__get_order" {
				t.Errorf("%v: %s is %+v", order, name, res)
			}
		}
		if res := s.Resolve("crm__get_order"); res.Resolution != events.ResolvedNotActivated || res.Server != "crm" {
			t.Errorf("%v: the other is %+v", order, res)
		}
		if on := r.NameOnServer("shop__get_order"); on != "get_order" {
			t.Errorf("%v: on its server %q", order, on)
		}
	}
}

func TestTheAgentsOwnToolKeepsItsNameBesideAServersOfThatName(t *testing.T) {
	own := orderTool("")
	own.Deferred = false
	r := NewRoster(RosterInput{Tools: []Tool{orderTool("shop"), own}})
	if res := NewState(r).Resolve("get_order"); res.Resolution != events.ResolvedOK || res.Server != "" {
		t.Errorf("own %+v", res)
	}
	if a := r.Array(); len(a) != 1 || string(a[0]) != string(own.Definition) {
		t.Errorf("array %s", a)
	}
}

func TestANameIsQualifiedInEveryFormOfADefinition(t *testing.T) {
	for _, def := range []string{
		`{"type":"function","function":{"description":"d","name":"x","parameters":{"type":"object"}}}`,
		`{"toolSpec":{"name":"x","inputSchema":{"json":{"type":"object"}}}}`,
		`{"name":"x","input_schema":{"type":"object","properties":{"name":{"const":"x"}}}}`,
	} {
		r := NewRoster(RosterInput{Tools: []Tool{
			{Name: "x", Server: "a b", Definition: jsontext.Value(def)}, {Name: "x", Server: "c", Definition: jsontext.Value(def)},
		}})
		if err := r.CheckDefinitions(); err != nil {
			t.Errorf("%s: %v", def, err)
		}
		if got, want := string(r.Array()[0]), strings.Replace(def, `"name":"x"`, `"name":"a_b__x"`, 1); got != want {
			t.Errorf("array has %s, want %s", got, want)
		}
	}
}

func TestEventsThatListOneNameOnTwoServersLetCallsOfItPass(t *testing.T) {
	for _, order := range [][]string{{"shop", "crm"}, {"crm", "shop"}} {
		e := &events.ToolRoster{Tools: []events.RosterTool{
			{Name: "get_order", Server: order[0]}, {Name: "get_order", Server: order[1], Deferred: true},
		}}
		s := NewState(RosterOf(e, nil, Settings{}))
		if res := s.Resolve("get_order"); res.Resolution != events.ResolvedOK || res.Server != "" || res.Name != "get_order" {
			t.Errorf("%v: %+v", order, res)
		}
		e.NotConnected = []string{"crm"}
		s = NewState(RosterOf(e, nil, Settings{}))
		s.Load("get_order")
		if res := s.Resolve("get_order"); res.Resolution != events.ResolvedOK || res.Server != "shop" {
			t.Errorf("%v, one away: %+v", order, res)
		}
		e.NotConnected = []string{"crm", "shop"}
		if res := NewState(RosterOf(e, nil, Settings{})).Resolve("get_order"); res.Resolution != events.ResolvedNotConnected {
			t.Errorf("%v, both away: %+v", order, res)
		}
	}
}

func TestTwoDefinitionsOfOneToolAreSaid(t *testing.T) {
	other := orderTool("shop")
	other.Definition = jsontext.Value(`{"name":"get_order","description":"Other."}`)
	r := NewRoster(RosterInput{Tools: []Tool{orderTool("shop"), other}})
	if err := r.CheckDefinitions(); err == nil || !strings.Contains(err.Error(), "two definitions") {
		t.Errorf("got %v", err)
	}
}

// Whatever tools there are: what the model sees under a name is what a call of that name runs, in any order of the tools.
func TestEveryNameThatIsShownRunsTheToolWhoseDefinitionItIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SampledFrom([]string{"x", "b__x", "a__x", "a__b__x", "mcp__a__x"})
		servers := rapid.SampledFrom([]string{"", "a", "a__b", "b", "A"})
		var tools []Tool
		for range rapid.IntRange(1, 8).Draw(t, "tools") {
			name, server := names.Draw(t, "name"), servers.Draw(t, "server")
			tools = append(tools, Tool{
				Name: name, Server: server, Denied: rapid.IntRange(0, 4).Draw(t, "denied") == 0,
				Definition: jsontext.Value(fmt.Sprintf(`{"name":%q,"description":"server %s, tool %s"}`, name, server, name)),
			})
		}
		r := NewRoster(RosterInput{Tools: tools})
		s := NewState(r)
		for _, e := range r.book().byName {
			res := s.Resolve(e.name)
			want := fmt.Sprintf("server %s, tool %s", res.Server, r.NameOnServer(res.Name))
			if res.Resolution != events.ResolvedOK || res.Name != e.name || e.description != want || e.wrong != nil {
				t.Fatalf("%s resolves to %+v and shows %q (%v)", e.name, res, e.description, e.wrong)
			}
		}
		slices.Reverse(tools)
		if again := NewRoster(RosterInput{Tools: tools}); again.Text(TextOptions{}) != r.Text(TextOptions{}) {
			t.Fatal("another order, another text")
		}
	})
}
