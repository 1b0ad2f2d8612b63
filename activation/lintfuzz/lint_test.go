// Package lintfuzz tests activation.Lint on tools of any kind. It is a package of its own because the tests of activation start the
// engine, which a fuzz test must not.
package lintfuzz

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/events"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func tool(server, definition string) activation.Tool {
	t := activation.Tool{Server: server, Definition: jsontext.Value(definition)}
	if parsed, err := events.ParseTool(t.Definition); err == nil {
		t.Name = parsed.Name
	}
	return t
}

func described(server, name, description string) activation.Tool {
	return tool(server, fmt.Sprintf(`{"name":%q,"description":%q,"inputSchema":{"type":"object"}}`, name, description))
}

// rules are the findings but for the notes on costs, as level, rule and tools.
func rules(r *activation.LintReport) []string {
	var out []string
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Rule != activation.LintAllUpFront && f.Rule != activation.LintUpFront && f.Rule != activation.LintSearch {
			out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s %s", f.Level, f.Rule, strings.Join(f.Tools, ","))))
		}
	}
	return out
}

func TestLintFindsWhatMisleadsAModel(t *testing.T) {
	long := strings.Repeat("word ", 60) + "Call login first; never twice."
	for name, tt := range map[string]struct {
		tools   []activation.Tool
		options func(*activation.LintOptions)
		want    []string
	}{
		"nothing":                         {nil, nil, nil},
		"good tools":                      {[]activation.Tool{described("", "a", "Does a."), described("", "b", "Does b.")}, nil, nil},
		"an own summary that is too long": {[]activation.Tool{described("", "a", long)}, nil, []string{"error summary_too_long a"}},
		"an external one is cut":          {[]activation.Tool{described("x", "a", long)}, nil, []string{"warning summary_cut a"}},
		"a cut that loses no how-to word": {[]activation.Tool{described("x", "a", strings.Repeat("word ", 61))}, nil, []string{"note summary_cut a"}},
		"a server that is the team's": {
			[]activation.Tool{described("x", "a", long)}, func(o *activation.LintOptions) { o.Own = []string{"x"} }, []string{"error summary_too_long a"},
		},
		"own tools that are somebody else's": {
			[]activation.Tool{described("", "a", long)}, func(o *activation.LintOptions) { o.External = []string{""} }, []string{"warning summary_cut a"},
		},
		"a summary of exactly the limit": {[]activation.Tool{described("", "a", strings.Repeat("é", 300))}, nil, nil},
		"a tool without a name":          {[]activation.Tool{tool("", `{"description":"d"}`)}, nil, []string{"error no_name"}},
		"a tool without a definition":    {[]activation.Tool{{Name: "a"}}, nil, []string{"error unreadable a"}},
		"no description":                 {[]activation.Tool{tool("", `{"name":"a","inputSchema":{}}`)}, nil, []string{"warning no_summary a"}},
		"one name twice":                 {[]activation.Tool{described("", "a", "A."), described("x", "a", "B.")}, nil, []string{"error duplicate_name a"}},
		"case and separators":            {[]activation.Tool{described("", "a-b", "A."), described("", "aB", "B.")}, nil, []string{"error alike_names a-b,aB"}},
		"alike and all external":         {[]activation.Tool{described("x", "a-b", "A."), described("y", "aB", "B.")}, nil, []string{"warning alike_names a-b,aB"}},
		"names that are one when they are made fit": {
			[]activation.Tool{described("", "a b", "A."), described("", "a/b", "B."), described("", "a_c", "C.")}, nil, []string{"error colliding_names a b,a/b", "warning unfit_name a b", "warning unfit_name a/b"},
		},
		"a look-alike":                         {[]activation.Tool{described("", "g\u0456thub", "A.")}, nil, []string{"warning unfit_name g\u0456thub"}},
		"a tool without a name is in no order": {[]activation.Tool{described("", "b", "A."), tool("", `{"description":"d"}`)}, nil, []string{"error no_name"}},
		"names that are one when they are cut": {
			[]activation.Tool{described("x", strings.Repeat("a", 64)+"1", "A."), described("x", strings.Repeat("a", 64)+"2", "B.")}, nil,
			[]string{
				"warning unfit_name " + strings.Repeat("a", 64) + "1", "warning unfit_name " + strings.Repeat("a", 64) + "2",
				"warning colliding_names " + strings.Repeat("a", 64) + "1," + strings.Repeat("a", 64) + "2",
			},
		},
		"names that are one with their servers": {
			[]activation.Tool{described("a", "b__c", "A."), described("a__b", "c", "B.")}, nil, []string{"warning colliding_names b__c,c"},
		},
		"names that are one with the team's own server": {
			[]activation.Tool{described("a", "b__c", "A."), described("a__b", "c", "B.")}, func(o *activation.LintOptions) { o.Own = []string{"a"} },
			[]string{"error colliding_names b__c,c"},
		},
		"one name of two servers is said once": {
			[]activation.Tool{described("a b", "c", "A."), described("a_b", "c", "B.")}, nil, []string{"error duplicate_name c"},
		},
		"no order": {[]activation.Tool{described("", "b", "A."), described("", "a", "B.")}, nil, []string{"note order a"}},
		"other bytes the second time": {
			[]activation.Tool{tool("", `{"name":"a","description":"A."}`)},
			func(o *activation.LintOptions) {
				o.Again = []activation.Tool{tool("", `{"description":"A.","name":"a"}`)}
			},
			[]string{"error not_same_bytes a"},
		},
		"two of one name, both times the same": {
			[]activation.Tool{described("", "a", "A."), described("", "a", "B.")},
			func(o *activation.LintOptions) {
				o.Again = []activation.Tool{described("", "a", "A."), described("", "a", "B.")}
			},
			[]string{"error duplicate_name a"},
		},
		"gone the second time": {
			[]activation.Tool{described("x", "a", "A.")}, func(o *activation.LintOptions) { o.Again = []activation.Tool{} },
			[]string{"warning not_same_bytes a", "warning not_same_bytes"},
		},
		"another order the second time": {
			[]activation.Tool{described("x", "a", "A."), described("x", "b", "B.")},
			func(o *activation.LintOptions) {
				o.Again = []activation.Tool{described("x", "b", "B."), described("x", "a", "A.")}
			},
			[]string{"warning not_same_bytes"},
		},
		"another description the second time": {
			[]activation.Tool{described("x", "a", "A.")}, func(o *activation.LintOptions) {
				o.Again = []activation.Tool{described("x", "a", "A.")}
				o.Descriptions, o.AgainDescriptions = map[string]string{"x": "It is 1 o'clock."}, map[string]string{"x": "It is 2 o'clock."}
			}, []string{"warning not_same_bytes"},
		},
		"a description of a server that is cut": {
			[]activation.Tool{described("x", "a", "A.")}, func(o *activation.LintOptions) {
				o.Descriptions = map[string]string{"x": strings.Repeat("word ", 200) + "Log in first."}
			}, []string{"warning summary_cut"},
		},
		"a description of the team's server that is too long": {
			[]activation.Tool{described("x", "a", "A.")}, func(o *activation.LintOptions) {
				o.Own, o.Descriptions = []string{"x"}, map[string]string{"x": strings.Repeat("word ", 201)}
			}, []string{"error summary_too_long"},
		},
		"an id": {
			[]activation.Tool{tool("", `{"name":"a","description":"A.","inputSchema":{"properties":{"x_id":{"type":"string"}},"required":["x_id"]}}`)}, nil,
			[]string{"note needs_another_tool a"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := activation.DefaultLintOptions()
			if tt.options != nil {
				tt.options(&o)
			}
			r := activation.Lint(tt.tools, o)
			if got := rules(&r); !slices.Equal(got, tt.want) {
				t.Errorf("have %q, want %q", got, tt.want)
			}
		})
	}
}

func TestACutSaysWhichHowToWordsItLost(t *testing.T) {
	r := activation.Lint([]activation.Tool{described("x", "a", strings.Repeat("word ", 60)+"Don't call it before login: ONLY after, only once, firstly.")}, activation.LintOptions{})
	if got, want := r.Findings[0].LostWords, []string{"not", "before", "only", "after", "once"}; !slices.Equal(got, want) {
		t.Errorf("have %q, want %q", got, want)
	}
}

func argument(tool, schema string) string {
	return fmt.Sprintf(`{"name":%q,"description":"d","inputSchema":{"type":"object",%s}}`, tool, schema)
}

func TestRequiredIDsAreGivenByOtherTools(t *testing.T) {
	tools := []activation.Tool{
		tool("", argument("close_order", `"properties":{"orderId":{"type":"string"}},"required":["orderId"]`)),
		tool("", argument("get_order", `"properties":{"order_id":{"type":"string"}},"required":["order_id"]`)),
		tool("", argument("search_orders", `"properties":{"query":{"type":"string"}},"required":["query"]`)),
		tool("", `{"name":"whoami","description":"d","inputSchema":{},"outputSchema":{"properties":{"user":{"properties":{"id":{}}}}}}`),
		tool("", argument("ban", `"properties":{"user_id":{"type":"string"},"kind_id":{"enum":["a"]},"request_id":{},"opt_id":{}},"required":["user_id","kind_id","request_id"]`)),
		tool("", argument("pay", `"properties":{"items":{"items":{"properties":{"coupon_id":{}},"required":["coupon_id"]}}},"required":["items"]`)),
	}
	r := activation.Lint(tools, activation.DefaultLintOptions())
	var got []string
	for _, n := range r.Needs {
		got = append(got, fmt.Sprint(n.Tool, n.Argument, n.Suppliers))
	}
	want := []string{
		"close_order/orderId[{search_orders name}]", "get_order/order_id[{search_orders name}]", "ban/user_id[{whoami output}]",
		"pay/items/-/coupon_id[]",
	}
	if !slices.Equal(got, want) {
		t.Errorf("have %q, want %q", got, want)
	}
}

func TestSizesAreEstimatedFromBytes(t *testing.T) {
	small := []activation.Tool{described("s", "a", strings.Repeat("word ", 50))}
	for name, tt := range map[string]struct {
		tools   []activation.Tool
		upFront int
	}{"small": {small, 1}, "large": {many(50, `{"x":"`+strings.Repeat("y", 4000)+`"}`), 0}} {
		t.Run(name, func(t *testing.T) {
			s := activation.Lint(tt.tools, activation.DefaultLintOptions()).Size
			if s.RosterTokens != (s.RosterBytes+3)/4 || s.DefinitionTokens != (s.DefinitionBytes+3)/4 || s.SearchFrom < 1 {
				t.Errorf("have %+v", s)
			}
			if len(s.UpFront) != tt.upFront {
				t.Errorf("%d tools up front", len(s.UpFront))
			}
		})
	}
}

// costRules are the findings on costs.
func costRules(r *activation.LintReport) []string {
	var out []string
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Rule == activation.LintAllUpFront || f.Rule == activation.LintUpFront || f.Rule == activation.LintSearch {
			out = append(out, f.Rule)
		}
	}
	return out
}

func TestWhatIsCheapestFollowsFromTheAssumptions(t *testing.T) {
	large := `{"x":"` + strings.Repeat("y", 4000) + `"}`
	from := func(o activation.LintOptions) int { return int(activation.Lint(many(2, large), o).Size.SearchFrom) }
	o := activation.DefaultLintOptions()
	base := from(o)
	for name, more := range map[string]func(*activation.LintCost){
		"search_tool_tokens": func(c *activation.LintCost) { c.SearchTool *= 2 },
		"searches":           func(c *activation.LintCost) { c.Searches *= 2 },
		"search_hits":        func(c *activation.LintCost) { c.SearchHits *= 2 },
		"search_tokens":      func(c *activation.LintCost) { c.SearchTokens *= 2 },
	} {
		dear := o
		more(&dear.Cost)
		if n := from(dear); n <= base {
			t.Errorf("%s: from %d tools on, and from %d with twice as much", name, base, n)
		}
	}
	for n, want := range map[int][]string{base - 2: nil, base + 2: {activation.LintSearch}} {
		r := activation.Lint(many(n, large), o)
		if got := costRules(&r); !slices.Equal(got, want) {
			t.Errorf("%d tools, a search from %d on: %q, want %q", n, r.Size.SearchFrom, got, want)
		}
	}

	small := described("s", "small", strings.Repeat("word ", 50))
	tools := append(many(20, large), small)
	r := activation.Lint(tools, o)
	if got := costRules(&r); !slices.Equal(got, []string{activation.LintUpFront}) || !slices.Equal(r.Size.UpFront, []string{"small"}) {
		t.Errorf("a small tool among large ones: %q %q", got, r.Size.UpFront)
	}
	o.Cost.LoadShare, o.Cost.LoadTokens = 1, 0
	if r = activation.Lint(tools, o); len(r.Size.UpFront) != len(tools) {
		t.Errorf("tools that every conversation loads: %d of %d are cheaper up front", len(r.Size.UpFront), len(tools))
	}
	o.Cost.BytesPerToken = 2
	if twice := activation.Lint(tools, o).Size; twice.DefinitionTokens < 2*r.Size.DefinitionTokens-2 {
		t.Errorf("%d tokens, and %d with half the bytes each", r.Size.DefinitionTokens, twice.DefinitionTokens)
	}
	var few []activation.Tool
	for i := range 30 {
		few = append(few, described("s", fmt.Sprintf("t%02d", i), strings.Repeat("word ", 50)))
	}
	if r = activation.Lint(few, activation.DefaultLintOptions()); !slices.Equal(costRules(&r), []string{activation.LintAllUpFront}) {
		t.Errorf("small tools alone: %q", costRules(&r))
	}
}

func TestOptionsThatMakeNoSenseAreRefused(t *testing.T) {
	o := activation.DefaultLintOptions()
	o.Own, o.External, o.Cost.LoadShare, o.Cost.Searches, o.Text.SummaryLimit = []string{"a"}, []string{"a"}, 2, -1, 3
	err := o.Validate()
	for _, want := range []string{"both own and external", "load_share 2", "searches -1 is under 0", "summary_limit 3"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v lacks %q", err, want)
		}
	}
}

func TestReportsOfRealListsLookAsTheyShould(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("testdata", "tools.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list []jsontext.Value
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatal(err)
	}
	var tools []activation.Tool
	for _, v := range list {
		tools = append(tools, tool("shop", string(v)))
	}
	got, err := json.MarshalIndent(activation.Lint(tools, activation.DefaultLintOptions()), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "tools.golden")
	if *update {
		if err := os.WriteFile(golden, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if want, _ := os.ReadFile(golden); string(want) != string(got) {
		t.Errorf("have\n%s\nwant\n%s", got, want)
	}
}

// many makes tools that all need what others give.
func many(n int, schema string) []activation.Tool {
	out := make([]activation.Tool, n)
	for i := range out {
		out[i] = tool("s", fmt.Sprintf(`{"name":"get_issue_%04d","description":"Reads the issue %[1]d and all that belongs to it.","inputSchema":{"type":"object",`+
			`"properties":{"issue_%[1]d_id":{"type":"string"},"issue_id":{"type":"string"}},"required":["issue_id","issue_%[1]d_id"]},"_meta":%s}`, i, schema))
	}
	return out
}

func BenchmarkLintOf1000Tools(b *testing.B) {
	tools := many(1000, `{"x":"`+strings.Repeat("y", 1000)+`"}`)
	b.ReportAllocs()
	for b.Loop() {
		activation.Lint(tools, activation.DefaultLintOptions())
	}
}

func TestHugeToolsAreLintedSoon(t *testing.T) {
	const big = 1 << 20
	deep := strings.Repeat(`{"properties":{"a_id":{"items":`, 2000) + `1` + strings.Repeat(`}}}`, 2000)
	nested := strings.Repeat(`{"required":["a_id"],"properties":{"a_id":{"items":`, 2000) + `1` + strings.Repeat(`}}}`, 2000)
	wide := strings.TrimSuffix(strings.Repeat(`"b_id",`, big/7), ",")
	for name, definition := range map[string]string{
		"name":        fmt.Sprintf(`{"name":%q}`, strings.Repeat("a_", big/2)),
		"description": fmt.Sprintf(`{"name":"a","description":%q}`, strings.Repeat("must\u0301 ", big/8)),
		"output":      `{"name":"list_a","outputSchema":` + deep + `}`,
		"input":       `{"name":"a","inputSchema":` + nested + `}`,
		"required":    `{"name":"a","inputSchema":{"properties":{"b_id":{}},"required":[` + wide + `]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			if r := activation.Lint([]activation.Tool{tool("s", definition)}, activation.DefaultLintOptions()); r.Tools != 1 {
				t.Errorf("have %+v", r)
			}
		})
	}
}

func FuzzLint(f *testing.F) {
	for _, s := range []string{
		`{"name":"a","description":"d"}`, `{"name":"","inputSchema":1}`, `[`, "\xff", `{"name":"a","inputSchema":{"required":["b_id"],"properties":{"b_id":{"items":[]}}}}`,
		`{"name":"a","outputSchema":{"items":{"properties":{"id":1}}}}`, `{"type":"web_search"}`, `{"name":"\u202e","description":"` + strings.Repeat("\u0301", 400) + `"}`,
	} {
		f.Add(s, s, 300, true)
	}
	f.Fuzz(func(t *testing.T, a, b string, limit int, external bool) {
		o := activation.DefaultLintOptions()
		o.Text.SummaryLimit = limit
		if external {
			o.External = []string{""}
		}
		tools := []activation.Tool{tool("", a), tool("s", b), {Name: a, Definition: jsontext.Value(b)}}
		o.Again = tools
		r := activation.Lint(tools, o)
		for i := range r.Findings {
			if r.Findings[i].Rule == activation.LintNotSame {
				t.Errorf("not the same bytes: %+v", r.Findings[i])
			}
		}
		if r.Tools != len(tools) {
			t.Errorf("%d tools", r.Tools)
		}
	})
}
