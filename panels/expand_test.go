package panels_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tooltrail/tooltrail/panels"
)

var day = panels.Scope{From: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2026, 3, 2, 0, 0, 0, 500_000_000, time.UTC)}

func TestMacrosBecomeWhatGrafanaMakesOfThem(t *testing.T) {
	agent := day
	agent.Agent = "a'b"
	for _, c := range []struct {
		name, sql, want string
		scope           panels.Scope
	}{
		{"no macro", "SELECT 1", "SELECT 1", day},
		{
			"time filter", "WHERE $__timeFilter(c.time)",
			"WHERE c.time >= fromUnixTimestamp64Micro(1772323200000000, 'UTC') AND c.time < fromUnixTimestamp64Micro(1772409600500000, 'UTC')", day,
		},
		{"the ends", "$__fromTime-$__toTime", "fromUnixTimestamp64Micro(1772323200000000, 'UTC')-fromUnixTimestamp64Micro(1772409600500000, 'UTC')", day},
		{"interval", "$__timeInterval(time) AS t", "toStartOfInterval(toDateTime(time), INTERVAL 1800 second) AS t", day},
		{"interval in seconds", "$__interval_s", "1800", day},
		{"nested brackets", "$__timeInterval(max((time)))", "toStartOfInterval(toDateTime(max((time))), INTERVAL 1800 second)", day},
		{"a value", "'${agent:percentencode}'", "'a%27b'", agent},
		{"no value", "'${agent:percentencode}'", "''", day},
		{"condition of a variable that narrows", "$__conditionalAll(f(a, '${agent:percentencode}'), $agent) AND x", "f(a, 'a%27b') AND x", agent},
		{"condition of one that does not", "$__conditionalAll(f(a, '${agent:percentencode}'), $agent) AND x", "1=1 AND x", day},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, err := panels.Expand(c.sql, c.scope); err != nil || got != c.want {
				t.Errorf("%s, %v\nwant %s", got, err, c.want)
			}
		})
	}
}

func TestWhatCanNotBeExpandedIsNamed(t *testing.T) {
	for _, c := range []struct {
		sql, want string
		scope     panels.Scope
	}{
		{"$__nothing(x)", "$__nothing: no such macro", day},
		{"$__timeFilter", "$__timeFilter: no arguments", day},
		{"$__timeFilter(a, b)", "$__timeFilter: 2 arguments, want 1", day},
		{"$__timeFilter((a)", "no closing bracket", day},
		{"${agent}", "the format must be percentencode", day},
		{"${agent:sqlstring}", "the format must be percentencode", day},
		{"${planet:percentencode}", "no such variable", day},
		{"${agent:percentencode", "no closing brace", day},
		{"$__conditionalAll(1, agent)", `"agent" is no variable`, day},
		{"$__conditionalAll(1, $planet)", `"$planet" is no variable`, day},
		{"$1", "$1: no arguments", day},
		{"SELECT 1", "from is not set", panels.Scope{}},
		{"SELECT 1", "to is not set", panels.Scope{From: day.From}},
		{"SELECT 1", "is not before to", panels.Scope{From: day.From, To: day.From}},
		{"SELECT 1", "is negative", panels.Scope{From: day.From, To: day.To, Window: -1}},
	} {
		if _, err := panels.Expand(c.sql, c.scope); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.sql, err, c.want)
		}
	}
}

// quoted finds the strings of a query, as ClickHouse reads them.
var quoted = regexp.MustCompile(`'(?:[^'\\]|\\.|'')*'`)

// TestNoMacroIsLeftAndNoValueLeavesItsQuotes: whatever the values, each query has as many strings as with harmless ones, and no macro.
func TestNoMacroIsLeftAndNoValueLeavesItsQuotes(t *testing.T) {
	var all []string
	for _, v := range panels.Views() {
		for _, p := range v.Panels {
			all = append(all, p.SQL)
		}
		for _, variable := range v.Variables {
			all = append(all, variable.SQL)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		scope, harmless := day, day
		for _, name := range []string{"agent", "model", "server", "tool", "environment", "team", "conversation"} {
			value := rapid.OneOf(rapid.String(), rapid.SampledFrom(hostile)).Draw(t, name)
			scope.Set(name, value)
			if value != "" {
				harmless.Set(name, "x")
			}
		}
		sql := rapid.SampledFrom(all).Draw(t, "sql")
		got, err := panels.Expand(sql, scope)
		if err != nil {
			t.Fatal(err)
		}
		want, err := panels.Expand(sql, harmless)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(got, "$") {
			t.Fatalf("a macro is left: %s", got)
		}
		if blank(got) != blank(want) {
			t.Fatalf("a value left its quotes: %s", got)
		}
	})
}

// blank is a query without what is in its strings.
func blank(sql string) string { return quoted.ReplaceAllString(sql, "''") }

func TestValuesComeBackFromTheirEncoding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scope := day
		scope.Tool = rapid.String().Draw(t, "tool")
		got, err := panels.Expand("${tool:percentencode}", scope)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := url.PathUnescape(got); err != nil || back != scope.Tool {
			t.Fatalf("%q from %q, %v", back, scope.Tool, err)
		}
	})
}

func TestStepLeavesAtMost120Points(t *testing.T) {
	for _, c := range []struct{ span, step time.Duration }{
		{time.Second, time.Second},
		{2 * time.Minute, time.Second},
		{time.Hour, 30 * time.Second},
		{24 * time.Hour, 30 * time.Minute},
		{7 * 24 * time.Hour, 3 * time.Hour},
		{56 * 24 * time.Hour, 12 * time.Hour},
		{365 * 24 * time.Hour, 7 * 24 * time.Hour},
		{100 * 365 * 24 * time.Hour, 28 * 24 * time.Hour},
	} {
		if got := (panels.Scope{From: day.From, To: day.From.Add(c.span)}).Step(); got != c.step {
			t.Errorf("%v has steps of %v, want %v", c.span, got, c.step)
		}
	}
	if got := (panels.Scope{Window: 90*time.Minute + time.Millisecond}).Step(); got != 90*time.Minute {
		t.Errorf("step %v", got)
	}
}

func ExampleExpand() {
	scope := panels.Scope{From: time.UnixMicro(0), To: time.UnixMicro(1), Tool: "it's"}
	sql, err := panels.Expand("SELECT count() FROM tool_calls AS c WHERE $__timeFilter(c.time) AND $__conditionalAll(c.tool_name = "+
		"decodeURLComponent('${tool:percentencode}'), $tool) AND $__conditionalAll(c.agent_name = decodeURLComponent('${agent:percentencode}'), $agent)", scope)
	fmt.Println(strings.ReplaceAll(sql, " AND ", "\nAND "), err)
	// Output:
	// SELECT count() FROM tool_calls AS c WHERE c.time >= fromUnixTimestamp64Micro(0, 'UTC')
	// AND c.time < fromUnixTimestamp64Micro(1, 'UTC')
	// AND c.tool_name = decodeURLComponent('it%27s')
	// AND 1=1 <nil>
}
