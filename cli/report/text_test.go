package report

import (
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestSafeEscapesWhatCouldDeceiveATerminal(t *testing.T) {
	for in, want := range map[string]string{
		"get_flight":              "get_flight",
		"größe":                   "größe",
		"查询航班":                    "查询航班",
		"\x1b[31mred":             `\x1b[31mred`,
		"a\nb\tc":                 `a\nb\tc`,
		"safe\u202etxt.exe":       `safe\u202etxt.exe`,
		"zero\u200bwidth":         `zero\u200bwidth`,
		"bad\xffbyte":             `bad\xffbyte`,
		"tag\U000e0041":           `tag\U000e0041`,
		"\u009b31m":               `\u009b31m`,
		"filler\u3164":            `filler\u3164`,
		"z" + zalgo(5):            "z" + zalgo(2) + `\u0301\u0301\u0301`,
		"no\u00a0break":           `no\u00a0break`,
		"line\u2028sep":           `line\u2028sep`,
		"private\ue000":           `private\ue000`,
		"del\x7f":                 `del\x7f`,
		"ok \U0001f600 two cells": "ok \U0001f600 two cells",
	} {
		if got := Safe(in); got != want {
			t.Errorf("Safe(%q) = %q, want %q", in, got, want)
		}
	}
}

func zalgo(n int) string { return strings.Repeat("\u0301", n) }

func TestSafeTextHasOnlyPrintableCharactersAndStaysSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) + rapid.String().Draw(t, "text")
		got := Safe(in)
		for _, r := range got {
			if !unicode.IsPrint(r) {
				t.Fatalf("Safe(%q) has %U", in, r)
			}
		}
		if again := Safe(got); again != got {
			t.Fatalf("Safe(Safe(%q)) = %q, want %q", in, again, got)
		}
	})
}

func TestCutNeverExceedsItsWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Safe(rapid.String().Draw(t, "text"))
		width := rapid.IntRange(0, 40).Draw(t, "width")
		got := Cut(s, width)
		if Width(got) > width {
			t.Fatalf("Cut(%q, %d) = %q, %d cells", s, width, got, Width(got))
		}
		if Width(s) <= width && got != s {
			t.Fatalf("Cut(%q, %d) = %q, want it whole", s, width, got)
		}
	})
}

func TestFiguresArePlain(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Tokens(0), "0"}, {Tokens(812), "812"}, {Tokens(9_999), "9,999"}, {Tokens(34_062), "34.1 k"},
		{Tokens(999_949), "999.9 k"}, {Tokens(999_950), "1.0 M"}, {Tokens(3_373_076), "3.4 M"}, {Tokens(2_100_000_000), "2.1 G"},
		{Count(-1234567), "-1,234,567"}, {Count(100), "100"}, {Count(1000), "1,000"},
		{USD(0), "$0.00"}, {USD(12.649), "$12.65"}, {USD(0.0042), "$0.0042"}, {USD(0.00001), "<$0.0001"}, {USD(12_345.6), "$12,346"},
		{Percent(0), "0.0 %"}, {Percent(0.05), "5.0 %"}, {Percent(0.0004), "<0.1 %"}, {Percent(0.9999), ">99.9 %"}, {Percent(1), "100.0 %"},
		{Plural(1, "call"), "1 call"}, {Plural(0, "call"), "0 calls"}, {Plural(1200, "call"), "1,200 calls"},
		{Took(850 * time.Millisecond), "850 ms"}, {Took(2340 * time.Millisecond), "2.3 s"}, {Took(75 * time.Second), "1m15s"},
	} {
		if c.got != c.want {
			t.Errorf("have %q, want %q", c.got, c.want)
		}
	}
}

func TestSpanTellsOneDayByTheClock(t *testing.T) {
	from := time.Date(2026, 3, 1, 9, 5, 0, 0, time.UTC)
	if got, want := Span(from, from.Add(time.Hour)), "2026-03-01 09:05 to 10:05 UTC"; got != want {
		t.Errorf("have %q, want %q", got, want)
	}
	if got, want := Span(from.Add(5*time.Second), from.Add(40*time.Second)), "2026-03-01 09:05:05 to 09:05:40 UTC"; got != want {
		t.Errorf("have %q, want %q", got, want)
	}
	if got, want := Span(from, from), "2026-03-01 09:05:00 UTC"; got != want {
		t.Errorf("have %q, want %q", got, want)
	}
	if got, want := Span(from, from.AddDate(0, 0, 3)), "2026-03-01 to 2026-03-04"; got != want {
		t.Errorf("have %q, want %q", got, want)
	}
}

func TestATableIsCutThenLosesColumnsToFitTheWidth(t *testing.T) {
	tab := &table{columns: []column{{title: "tool", flex: true}, {title: "model", flex: true, drop: 1}, {title: "calls", right: true}}}
	tab.row("a_tool_with_a_rather_long_name", "a-model-with-a-long-name", "12")
	tab.row("工具工具工具工具工具工具工具", "m", "3")
	for width, want := range map[int]string{
		0:  "  tool                            model                     calls\n  a_tool_with_a_rather_long_name  a-model-with-a-long-name     12\n  工具工具工具工具工具工具工具    m                             3\n",
		50: "  tool                 model                 calls\n  a_tool_with_a_rath…  a-model-with-a-long…     12\n  工具工具工具工具工…  m                         3\n",
		32: "  tool                     calls\n  a_tool_with_a_rather_l…     12\n  工具工具工具工具工具工…      3\n",
	} {
		var b strings.Builder
		if err := tab.write(&b, Style{Width: width}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, b.String()); diff != "" {
			t.Errorf("width %d (-want +got):\n%s", width, diff)
		}
		for line := range strings.Lines(b.String()) {
			if n := Width(strings.TrimSuffix(line, "\n")); width > 0 && n > width {
				t.Errorf("width %d: line of %d cells %q", width, n, line)
			}
		}
	}
}

func TestStyleFollowsTheEnvironment(t *testing.T) {
	env := func(kv map[string]string) func(string) string { return func(k string) string { return kv[k] } }
	for _, c := range []struct {
		name string
		env  map[string]string
		want Style
	}{
		{"a pipe has no width and no colour", nil, Style{}},
		{"COLUMNS gives the width", map[string]string{"COLUMNS": "60"}, Style{Width: 60}},
		{"no terminal is narrower than 30", map[string]string{"COLUMNS": "5"}, Style{Width: 30}},
		{"nonsense is ignored", map[string]string{"COLUMNS": "wide"}, Style{}},
	} {
		if got := StyleOf(&strings.Builder{}, env(c.env)); got != c.want {
			t.Errorf("%s: have %+v, want %+v", c.name, got, c.want)
		}
	}
}
