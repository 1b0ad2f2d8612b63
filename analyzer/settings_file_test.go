package analyzer

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/metrics"
)

// documented returns the YAML block behind a mark in docs/settings.md.
func documented(t *testing.T, mark string) []byte {
	t.Helper()
	doc, err := os.ReadFile(filepath.Join("..", "docs", "settings.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(doc), "<!-- "+mark+" -->\n```yaml\n")
	block, _, closed := strings.Cut(rest, "```")
	if !ok || !closed {
		t.Fatalf("no block %q", mark)
	}
	return []byte(block)
}

// TestTheDocumentedSettingsAreTheDefaults reads them over settings that say nothing, so that one left out would show.
func TestTheDocumentedSettingsAreTheDefaults(t *testing.T) {
	var sections settingsSections
	if _, err := readYAML(documented(t, "defaults"), &sections); err != nil {
		t.Fatal(err)
	}
	d := DefaultConfig()
	d.Prefix.Prices = nil
	want := settingsSections{&d.Drift, &d.Breaker, &d.Prefix, &d.Activation, &d.Owners}
	if diff := cmp.Diff(want, sections, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-defaults +docs/settings.md):\n%s", diff)
	}
}

func TestEveryFieldIsDocumented(t *testing.T) {
	for block, sections := range map[string]settingsSections{"defaults": {}, "overrides": {}, "roster": {}} {
		r, err := readYAML(documented(t, block), &sections)
		if err != nil {
			t.Fatal(err)
		}
		switch block {
		case "defaults":
			checkFields(t, r, "", reflect.TypeFor[settingsSections]())
		case "roster":
			checkFields(t, r, "activation.roster.array.defer[0]", reflect.TypeFor[activation.DeferProof]())
		default:
			checkFields(t, r, `drift.tools["legacy-crm/*"]`, reflect.TypeFor[drift.ToolSettings](), "min_calls")
			checkFields(t, r, `breaker.tools["search/*"]`, reflect.TypeFor[drift.ToolBreaker]())
			checkFields(t, r, `owners.tools["billing/*"]`, reflect.TypeFor[finding.Owner]())
		}
	}
}

// checkFields looks for each field of a struct in what was read.
func checkFields(t *testing.T, r *yamlReader, path string, typ reflect.Type, but ...string) {
	t.Helper()
	for name, i := range fieldNames(typ) {
		at := strings.TrimPrefix(path+"."+name, ".")
		if r.lines[at] == 0 && !cmp.Equal(but, []string{name}) {
			t.Errorf("docs/settings.md does not have %s", at)
		}
		field := typ.Field(i).Type
		if field.Kind() == reflect.Pointer {
			field = field.Elem()
		}
		switch {
		case field.Kind() == reflect.Struct:
			checkFields(t, r, at, field)
		case field.Kind() == reflect.Slice && field.Elem().Kind() == reflect.Struct && at != "activation.roster.array.defer": // empty by default
			checkFields(t, r, at+"[0]", field.Elem())
		}
	}
}

func TestWhatASettingsFileDoesNotSayStays(t *testing.T) {
	for _, text := range []string{"", "# nothing\n", "---\n", "drift: {}\n"} {
		c := DefaultConfig()
		if err := c.readSettings("s", []byte(text)); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if diff := cmp.Diff(DefaultConfig(), c, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q (-default +read):\n%s", text, diff)
		}
	}
	c := DefaultConfig()
	if err := c.readSettings("s", documented(t, "overrides")); err != nil {
		t.Fatal(err)
	}
	of := func(server, tool string) drift.Settings { return c.Drift.Of(drift.Key{Server: server, Tool: tool}) }
	refund, crm := of("billing", "refund"), of("legacy-crm", "find")
	if o := c.Owners.Of(&finding.Finding{Subject: finding.Subject{Server: "billing", Tool: "x"}}); o.Owner != "lea" {
		t.Errorf("owner %+v", o)
	}
	if refund.MinCalls != 5 || refund.WarnRatio != 0.05 || crm.MinCalls != 20 || crm.WarnRatio != 0.15 || of("x", "y").MinCalls != 20 || c.Breaker.CoolDown != 15*time.Minute || c.Breaker.Errors != 3 {
		t.Errorf("have %+v, %+v", refund, c.Breaker)
	}
}

func TestASettingsFileHasTheLimitsOfRosters(t *testing.T) {
	c := DefaultConfig()
	if err := c.readSettings("s", documented(t, "roster")); err != nil {
		t.Fatal(err)
	}
	r := activation.NewRoster(activation.RosterInput{
		Tools: []activation.Tool{
			{Name: "a", Deferred: true, Definition: jsontext.Value(`{"name":"a","description":"` + strings.Repeat("word ", 50) + `"}`)},
		},
		Settings: c.Activation,
	})
	text := r.Text(activation.TextOptions{})
	kept, lost := activation.CutText(strings.Repeat("word ", 50), 200)
	if lost == "" || !strings.HasSuffix(text, ": "+kept+"\n") || !strings.Contains(text, "Load with load_tools ") {
		t.Errorf("have %s", text)
	}
	array, err := activation.NewToolArray(r, activation.ArrayOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(array.Next("some-model-2026-01-01")); n != 1 {
		t.Errorf("%d deferred definitions", n)
	}
	if n := len(array.Next("another-model")); n != 0 {
		t.Errorf("%d plain definitions", n)
	}
	if o := c.Activation.Roster.LintOptions(); o.Text.SummaryLimit != 200 || !slices.Contains(o.Own, "shop") {
		t.Errorf("have %+v", o)
	}
}

func TestAWrongSettingsFileIsRefusedByLineAndField(t *testing.T) {
	for _, tt := range []struct{ file, want string }{
		{"activation:\n  roster:\n    text:\n      summary_limits: 1", `s:4: activation.roster.text.summary_limits: there is no such field`},
		{"activation:\n  roster:\n    text:\n      summary_limit: 0", `s:4: activation.roster.text.summary_limit 0 is under 16`},
		{"activation:\n  roster:\n    mention_limit: 0\n    list_limit: -1", "s:3: activation.roster.mention_limit 0 is under 1\ns:4: activation.roster.list_limit -1 is under 1"},
		{"activation:\n  roster:\n    own: [a]\n    external: [a]", `s:3: activation.roster.own[0] "a" is external, too`},
		{"activation:\n  roster:\n    cost:\n      load_share: 2", `s:4: activation.roster.cost.load_share 2 is not from 0 to 1`},
		{"activation:\n  roster:\n    cost:\n      bytes_per_token: 0", `s:4: activation.roster.cost.bytes_per_token 0 is under 1 or no number`},
		{"activation:\n  roster:\n    array:\n      defer:\n        - model: m\n          hidden: seen", `s:5: activation.roster.array.defer[0].unfolded is empty: a model is on the list when a real call of it proved both`},
		{"activation:\n  near_edits: -1", `s:2: activation.near_edits -1 is negative`},
		{"drift:\n  warn_ration: 1", `s:2: drift.warn_ration: there is no such field`},
		{"drifts: {}", `s:1: drifts: there is no such field`},
		{"owners:\n  tools:\n    shop/*: {}", `s:3: owners.tools["shop/*"] has neither owner nor team`},
		{"owners:\n  agents:\n    desk:\n      owner: lea\n      teem: x", `s:5: owners.agents["desk"].teem: there is no such field`},
		{"drift:\n  warn_ratio: high", `s:2: drift.warn_ratio: want a number, have a text`},
		{"drift:\n  warn_ratio: .nan", `s:2: drift.warn_ratio: want a number, have what is not a number`},
		{"drift:\n  warn_ratio: -.inf", `s:2: drift.warn_ratio: want a number, have infinity`},
		{"activation:\n  bridges: [\"\", a, a, \" b\"]", `s:2: activation.bridges[0] is empty
s:2: activation.bridges[2] "a" stands there twice
s:2: activation.bridges[3] " b" has space around it`},
		{"drift:\n  min_calls: 1.5", `s:2: drift.min_calls: want a whole number, 0 or more, have a number`},
		{"drift:\n  min_calls: -1", `s:2: drift.min_calls: want a whole number, 0 or more`},
		{"drift:\n  min_tools: 99999999999999999999", `s:2: drift.min_tools: want a whole number, have a text`},
		{"drift:\n  min_calls:\n", `s:2: drift.min_calls: there is no value; leave the field out for its default`},
		{"drift:\n", `s:1: drift: there is no value; leave the field out for its default`},
		{"drift: 5", `s:1: drift: want fields, have a whole number`},
		{"drift:\n  windows: 5m", `s:2: drift.windows: want a list, have a text`},
		{"drift:\n  windows:\n    - length: 5\n", `s:3: drift.windows[0].length: want a span of time such as 30s, 5m or 24h, have a whole number`},
		{"drift:\n  windows:\n    - {length: 5 minutes}\n", `s:3: drift.windows[0].length: want a span of time such as 30s, 5m or 24h`},
		{"drift:\n  windows:\n    - length: 5s\n      min_calls: 1\n", `s:3: drift.windows[0].length 5s is not from 1m to 744h0m0s`},
		{"drift:\n  windows:\n    - length: 5m\n", `s:3: drift.windows[0].min_calls is missing or 0`},
		{"drift:\n\n  warn_ratio: 0.9", `s:3: drift.warn_ratio 0.9 and critical_ratio 0.2 are not in order from 0 to 1`},
		{"drift:\n  tools:\n    a/b:\n      warn_ratio: 2", `s:4: drift.tools["a/b"].warn_ratio 2 and critical_ratio 0.2 are not in order from 0 to 1`},
		{"drift:\n  tools:\n    a/b:\n      min_tools: 2", `s:4: drift.tools["a/b"].min_tools: there is no such field`},
		{"breaker:\n  scope: everyone", `s:2: breaker.scope "everyone" is neither tool nor tool_agent`},
		{"breaker:\n  off: yes please", `s:2: breaker.off: want true or false, have a text`},
		{"breaker:\n  critical: [\"\"]", `s:2: breaker.critical: a tool has no name`},
		{"prefix:\n  prices: []", `s:2: prefix.prices: there is no such field`},
		{"prefix:\n  min_read_share: 2", `s:2: prefix.min_read_share 2 is not over 0 and up to 1`},
		{"activation:\n  loop_calls: 1\n", `s:2: activation.loop_calls 1 is under 2`},
		{"activation:\n  bridges: [1]\n", `s:2: activation.bridges[0]: want a text, have a whole number`},
		{"drift:\n  min_calls: 1\n  min_calls: 2\n", `s:3: mapping key "min_calls" already defined at [2:3]`},
		{"drift: {\n", `s:1: could not find flow mapping end token '}'`},
		{"drift: {}\n---\ndrift: {}\n", `s:3: a second document: want one`},
		{"- drift", `s:1: want fields, have a list`},
		{"drift: &a {}\n", `s:1: drift: want fields, have anchor`},
		{"drift: {min_calls: !!int 3}\n", `s:1: drift.min_calls: want a whole number, 0 or more, have tag`},
		{"<<: {drift: {}}\n", `s:1: want a name, have mergekey`},
		{"prefix:\n  lookback: x\nbreaker:\n  errors: x\n", "s:2: prefix.lookback: want a whole number, have a text\n" +
			"s:4: breaker.errors: want a whole number, have a text"},
	} {
		c := DefaultConfig()
		err := c.readSettings("s", []byte(tt.file))
		if err == nil || err.Error() != tt.want {
			t.Errorf("%q:\nhave %v\nwant %s", tt.file, err, tt.want)
		}
		if diff := cmp.Diff(DefaultConfig(), c); diff != "" {
			t.Errorf("%q: something was taken over:\n%s", tt.file, diff)
		}
	}
}

// replace puts a file into another's place as editors do.
func replace(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path+"~", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+"~", path); err != nil {
		t.Fatal(err)
	}
}

func TestAChangedFileIsTakenOverAndABrokenOneKeepsTheLastGoodSettings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.yaml")
	replace(t, path, "drift:\n  warn_ratio: 0.10\n")
	var log bytes.Buffer
	m := metrics.NewAnalyzer(prometheus.NewPedanticRegistry())
	f, err := OpenSettings(path, DefaultConfig(), nil, m, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	steps := []struct {
		text   string
		warn   float64
		errors float64
	}{
		{"drift:\n  warn_ratio: 0.10\n", 0.10, 0},
		{"drift:\n  warn_ratio: 0.11\n", 0.11, 0},
		{"drift:\n  warn_ratio: 0.1", 0.1, 0},
		{"drift:\n  warn_ratio: 5", 0.1, 1},
		{"drift:\n  warn_ratio: [", 0.1, 2},
		{"drift:\n  warn_ratio: 0.1", 0.1, 2},
		{"", 0.05, 2},
	}
	before := 0.0
	for _, step := range steps {
		replace(t, path, step.text)
		for range 3 { // once for each content
			if got := f.Current().Drift.WarnRatio; got != step.warn {
				t.Errorf("%q: warn ratio %v, want %v", step.text, got, step.warn)
			}
		}
		if got := testutil.ToFloat64(m.SettingsErrors); got != step.errors {
			t.Errorf("%q: %v errors are counted, want %v", step.text, got, step.errors)
		}
		if got := testutil.ToFloat64(m.SettingsRefused); got != metrics.One(step.errors > before) {
			t.Errorf("%q: refused is %v after %v errors of %v", step.text, got, before, step.errors)
		}
		before = step.errors
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		f.Current()
	}
	if got := testutil.ToFloat64(m.SettingsErrors); got != 3 {
		t.Errorf("%v errors are counted after the file is gone, want 3", got)
	}
	if n := strings.Count(log.String(), "level=ERROR"); n != 3 {
		t.Errorf("%d errors are logged, want 3:\n%s", n, log.String())
	}
	if testutil.ToFloat64(m.SettingsLoaded) == 0 {
		t.Error("it is not said when settings were taken over")
	}
}

func TestFlagsWinOverTheFileAlsoWhenItChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.yaml")
	replace(t, path, "drift:\n  warn_ratio: 0.10\n  min_calls: 7\n")
	flags := func(c *Config) error {
		c.Drift.WarnRatio = 0.15
		return nil
	}
	f, err := OpenSettings(path, DefaultConfig(), flags, metrics.NewAnalyzer(prometheus.NewPedanticRegistry()), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for _, calls := range []string{"7", "8"} {
		replace(t, path, "drift:\n  warn_ratio: 0.10\n  min_calls: "+calls+"\n")
		if d := f.Current().Drift; d.WarnRatio != 0.15 || d.MinCalls != uint64(calls[0]-'0') {
			t.Errorf("have %v and %d", d.WarnRatio, d.MinCalls)
		}
	}
	replace(t, path, "drift:\n  critical_ratio: 0.12\n")
	if d := f.Current().Drift; d.CriticalRatio != 0.20 {
		t.Errorf("critical ratio %v is taken over, and under what the flag says", d.CriticalRatio)
	}
}

func TestAFileThatCannotBeUsedAtTheStartIsAnError(t *testing.T) {
	m := metrics.NewAnalyzer(prometheus.NewPedanticRegistry())
	path := filepath.Join(t.TempDir(), "settings.yaml")
	if _, err := OpenSettings(path, DefaultConfig(), nil, m, nil); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a missing file: %v", err)
	}
	replace(t, path, strings.Repeat("#", maxSettingsBytes+1))
	if _, err := OpenSettings(path, DefaultConfig(), nil, m, nil); err == nil {
		t.Error("a file that is too large is taken")
	}
	f, err := OpenSettings("", DefaultConfig(), nil, m, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(DefaultConfig(), f.Current()); diff != "" {
		t.Errorf("no file (-default +have):\n%s", diff)
	}
}
