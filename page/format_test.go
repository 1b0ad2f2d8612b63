package page

import (
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tooltrail/tooltrail/panels"
)

func TestNumbersAreWrittenInTheirUnit(t *testing.T) {
	for _, c := range []struct {
		unit panels.Unit
		n    float64
		want string
	}{
		{panels.Count, 1234567, "1,234,567"}, {panels.Count, -1234, "-1,234"}, {panels.Count, 0.5, "0.50"}, {panels.Ratio, 0, "0 %"}, {panels.Ratio, 1, "100 %"},
		{panels.Ratio, 0.05, "5 %"}, {panels.Ratio, 0.0501, "5.01 %"}, {panels.Ratio, 0.00001, "0.001 %"}, {panels.USD, 1234.5, "$1,234.50"},
		{panels.USD, 0.00125, "$0.0013"}, {panels.USD, -2, "-$2.00"}, {panels.Seconds, 0.25, "250 ms"}, {panels.Seconds, 90, "90 s"},
		{panels.Seconds, 600, "10 min"}, {panels.Seconds, 7200, "2 h"}, {panels.Seconds, 864000, "10 d"}, {panels.Bytes, 1536, "1.5 KiB"},
		{panels.Multiple, 3, "3.0×"}, {panels.Tokens, 20000, "20,000"},
	} {
		if got := format(c.unit, c.n); got != c.want {
			t.Errorf("%v %s: %q, want %q", c.n, c.unit, got, c.want)
		}
	}
}

func TestWhatIsShownHasNoHiddenCharactersAndALimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "value")
		got := clean(s, 50)
		if strings.ContainsAny(got, "\u202e\u202d\u2066\u2069\u200b\u200f\x00\x1b\r") {
			t.Fatalf("%q has hidden characters", got)
		}
		if n := len([]rune(got)); n > 50*10+40 {
			t.Fatalf("%d characters", n)
		}
	})
	if got := clean("a\u202eb\xff", 10); got != `a\u202eb`+"\uFFFD" {
		t.Errorf("%q", got)
	}
}

func TestAddressesSayTheirScopeAgain(t *testing.T) {
	v, _ := panels.Find(panels.Drift)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		a := asked{last: rapid.SampledFrom([]string{"1h", "24h", "30d", ""}).Draw(t, "last")}
		if a.last == "" {
			a.scope.From, a.scope.To = now.Add(-time.Microsecond), now
		}
		a.scope.Tool, a.scope.Agent = rapid.StringN(0, 300, 1000).Draw(t, "tool"), rapid.StringN(0, 300, 1000).Draw(t, "agent")
		back, err := readQuery(a.values(v), now)
		if err != nil {
			t.Fatal(err)
		}
		if back.scope.Tool != a.scope.Tool || back.scope.Agent != a.scope.Agent || back.last != a.last {
			t.Fatalf("%+v from %+v", back, a)
		}
		if a.last == "" && (!back.scope.From.Equal(a.scope.From) || !back.scope.To.Equal(a.scope.To)) {
			t.Fatalf("%v to %v", back.scope.From, back.scope.To)
		}
	})
}

func TestNobodyIsSentToAnotherServer(t *testing.T) {
	for next, want := range map[string]string{
		"/drift?tool=x": "/drift?tool=x", "": "/", "//evil.example": "/", "/\\evil.example": "/", "https://evil.example": "/", "javascript:alert(1)": "/", "/a\nb": "/",
	} {
		if got := localPath(next); got != want {
			t.Errorf("%q leads to %q, want %q", next, got, want)
		}
	}
}

func TestRunbooksAreReadAsTheyAreWritten(t *testing.T) {
	got := readBlocks("# Name\n\nOne\ntwo `code`.\n\n## First steps\n\n1. Do **this**\n   and that.\n\n   ```sh\n   run it\n   ```\n\n- [a link](x.md) <b>\n")
	var kinds []string
	for _, b := range got {
		kinds = append(kinds, b.Kind+": "+b.Text)
	}
	want := []string{"paragraph: One two `code`.", "heading: First steps", "item: 1. Do **this** and that.", "code: run it", "item: [a link](x.md) <b>"}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]inline{{Text: "One two "}, {Text: "code", Code: true}, {Text: "."}}, got[0].Parts); diff != "" {
		t.Error(diff)
	}
	if names := runbookNames(fstest.MapFS{"A.md": {}, "b.txt": {}}); len(names) != 1 || !names["A"] {
		t.Errorf("runbooks %v", names)
	}
}

func TestRowsAreSortedWithTheUnknownLast(t *testing.T) {
	for _, down := range []bool{false, true} {
		rows := []record{{"n": nil}, {"n": uint64(2)}, {"n": int8(-1)}, {"n": 1.5}}
		sortRows(rows, sorting{column: "n", down: down})
		want := []any{int8(-1), 1.5, uint64(2), nil}
		if down {
			want = []any{uint64(2), 1.5, int8(-1), nil}
		}
		for i, row := range rows {
			if row["n"] != want[i] {
				t.Errorf("down %v: row %d is %v, want %v", down, i, row["n"], want[i])
			}
		}
	}
}
