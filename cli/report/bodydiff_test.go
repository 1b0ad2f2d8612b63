package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tooltrail/tooltrail/prefix"
)

func TestRequestDiffsLookAsTheyShould(t *testing.T) {
	spot := func(part, name, lead, text string) DiffSpot {
		return DiffSpot{Offset: 1234, Part: part, Index: 2, Name: name, Lead: lead, Text: text}
	}
	d := &RequestDiff{
		Before:  DiffedBody{File: "a\x1b[2J.json", Provider: "anthropic", Model: "claude-sonnet-4-5", PrefixBytes: 9000, Tools: 3, System: 1, Messages: 4},
		After:   DiffedBody{File: "b.json", Provider: "anthropic", Model: "claude-sonnet-4-5", PrefixBytes: 8000, Tools: 3, System: 1, Messages: 2},
		Verdict: prefix.SystemChanged, Secondary: []prefix.Verdict{prefix.ParamsChanged, prefix.Compaction},
		First:       &DiffPlace{spot("system", "", strings.Repeat("工具", 40), "09:31 \x1b[31mred\n"), spot("system", "", strings.Repeat("ab", 40), "09:32 größe")},
		Raw:         &DiffPlace{spot("params", "thinking", `{"model":"m",`, `"thinking"`), DiffSpot{Offset: 13, Missing: true, Part: "other", Lead: `{"model":"m"`}},
		SystemBlock: new(int), Params: []string{"thinking"}, MarkersNeeded: true, CachedBytes: 9000, BytesAtStake: 8000, TokensAtStake: 2000, Estimated: true, Model: "claude-sonnet-4-5",
		Notes: []string{"Something else."}, Fix: "Keep it the same.",
	}
	for _, c := range []struct {
		name  string
		style Style
	}{{"bodydiff", Style{}}, {"bodydiff-40", Style{Width: 40}}} {
		var got bytes.Buffer
		if err := WriteRequestDiff(&got, d, c.style); err != nil {
			t.Fatal(err)
		}
		golden(t, c.name, got.Bytes())
		fits(t, got.String(), c.style)
	}
}

func TestTheFrontOfATextIsCutToItsWidth(t *testing.T) {
	for _, c := range []struct {
		in   string
		to   int
		want string
	}{{"abcdef", 6, "abcdef"}, {"abcdef", 4, "…def"}, {"工具工具", 5, "…工具"}, {"工具工具", 4, "…具"}, {"abc", 1, "…"}, {"abc", 0, ""}} {
		if got := cutFront(c.in, c.to); got != c.want {
			t.Errorf("%s to %d: have %q, want %q", c.in, c.to, got, c.want)
		}
	}
}
