package prefix

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func diffOf(t *testing.T, provider, a, b string) BodyDiff {
	t.Helper()
	d, err := DiffBodies(provider, []byte(a), []byte(b))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

const (
	toolA  = `{"name":"a","input_schema":{}}`
	toolB  = `{"name":"b","input_schema":{"type":"object"}}`
	toolB2 = `{"input_schema":{"type":"object"},"name":"b"}`
	toolC  = `{"name":"c","input_schema":{}}`
	sys    = `{"type":"text","text":"be kind"}`
	msg    = `{"role":"user","content":"hi"}`
	reply  = `{"role":"assistant","content":"ho"}`
)

// request writes a body with its members in an order that is not the provider's.
func request(messages, system, tools string, more ...string) string {
	return `{"model":"claude-a","messages":[` + messages + `],"system":[` + system + `],"tools":[` + tools + `]` + strings.Join(more, "") + `}`
}

func TestBodiesAreComparedInTheProvidersOrder(t *testing.T) {
	type want struct {
		First   string // part, index and name on both sides, "" where nothing differs
		Reasons []Verdict
		Tools   []ToolChange
		System  int
		Message int
		Common  string // what the two have in common, block after block
	}
	before := request(msg, sys, toolA+","+toolB)
	for name, c := range map[string]struct {
		after string
		want  want
	}{
		"the same":           {before, want{"", nil, nil, -1, -1, toolA + toolB + sys + msg}},
		"going on":           {request(msg+","+reply, sys, toolA+","+toolB), want{"", nil, nil, -1, -1, toolA + toolB + sys + msg}},
		"spaces between":     {request(msg, sys, toolA+",\n "+toolB), want{"", nil, nil, -1, -1, toolA + toolB + sys + msg}},
		"a tool at the end":  {request(msg, sys, toolA+","+toolB+","+toolC), want{"nothing / tools 2 c", []Verdict{ToolsChanged}, []ToolChange{{Name: "c", Kind: ToolAdded, Index: 2}}, -1, -1, toolA + toolB}},
		"a tool between":     {request(msg, sys, toolA+","+toolC+","+toolB), want{"tools 1 b / tools 1 c", []Verdict{ToolsChanged}, []ToolChange{{Name: "c", Kind: ToolAdded, Index: 1, Middle: true}}, -1, -1, toolA + `{"name":"`}},
		"a tool gone":        {request(msg, sys, toolA), want{"tools 1 b / nothing", []Verdict{ToolsChanged}, []ToolChange{{Name: "b", Kind: ToolRemoved, Index: 1}}, -1, -1, toolA}},
		"other key order":    {request(msg, sys, toolA+","+toolB2), want{"tools 1 b / tools 1 b", []Verdict{ToolsChanged}, []ToolChange{{Name: "b", Kind: ToolSerialization, Index: 1}}, -1, -1, toolA + `{"`}},
		"deferred":           {request(msg, sys, toolA+","+strings.Replace(toolB, "{", `{"defer_loading":true,`, 1)), want{"tools 1 b / nothing", []Verdict{ToolsChanged}, []ToolChange{{Name: "b", Kind: ToolDeferFlip, Index: 1}}, -1, -1, toolA}},
		"system":             {request(msg, strings.Replace(sys, "kind", "kinder", 1), toolA+","+toolB), want{"system 0  / system 0 ", []Verdict{SystemChanged}, nil, 0, -1, toolA + toolB + `"be kind`}},
		"a message":          {request(strings.Replace(msg, "hi", "ha", 1)+","+reply, sys, toolA+","+toolB), want{"messages 0  / messages 0 ", []Verdict{MessagesChanged}, nil, -1, 0, toolA + toolB + sys + `{"role":"user","content":"h`}},
		"a marker":           {request(strings.Replace(msg, `"hi"`, `[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]`, 1), sys, toolA+","+toolB), want{"", nil, nil, -1, -1, toolA + toolB + sys + msg}},
		"system before tool": {request(msg, strings.Replace(sys, "kind", "odd", 1), toolC+","+toolB), want{"tools 0 a / tools 0 c", []Verdict{ToolsChanged, SystemChanged}, []ToolChange{{Name: "c", Kind: ToolAdded, Index: 0, Middle: true}, {Name: "a", Kind: ToolRemoved, Index: 0}}, 0, -1, `{"name":"`}},
	} {
		t.Run(name, func(t *testing.T) {
			d := diffOf(t, "", before, c.after)
			got := want{"", d.Reasons, d.Tools, d.System, d.Message, c.want.Common}
			if d.First != nil {
				got.First = spotName(d.First.Before) + " / " + spotName(d.First.After)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			// A lone system text is digested as that text.
			common := strings.Replace(c.want.Common, sys, `"be kind"`, 1)
			if d.CommonBytes != len(common) || d.UsableBytes != len(common) {
				t.Errorf("%d bytes in common, %d of use, want %d", d.CommonBytes, d.UsableBytes, len(common))
			}
			if want := min(d.BytesBefore, d.BytesAfter) - len(common); d.BytesAtStake != want || d.TokensAtStake != want/BytesPerToken {
				t.Errorf("%d bytes and %d tokens at stake, want %d", d.BytesAtStake, d.TokensAtStake, want)
			}
		})
	}
}

// spotName names the block of a spot.
func spotName(s Spot) string {
	if s.Missing {
		return "nothing"
	}
	return s.Block.Part + " " + string(rune('0'+s.Block.Index)) + " " + s.Block.Name
}

func TestTheFirstDifferingByteIsShown(t *testing.T) {
	a := request(`{"role":"user","content":"grüße von hier"}`, sys, toolA)
	b := request(`{"role":"user","content":[{"type":"text","cache_control":{"type":"ephemeral"},"text":"grüÞe von hier"}]}`, sys, toolA)
	d := diffOf(t, "", a, b)
	for _, c := range []struct {
		body string
		spot Spot
	}{{a, d.First.Before}, {b, d.First.After}} {
		if !strings.HasSuffix(c.spot.Lead, `"grü`) || strings.HasPrefix(c.spot.Text, "\uFFFD") || !strings.Contains(c.body, c.spot.Lead+c.spot.Text) {
			t.Errorf("%+v", c.spot)
		}
	}
	if !strings.HasPrefix(d.First.Before.Text, "ße von") || !strings.HasPrefix(d.First.After.Text, "Þe von") {
		t.Errorf("%+v", d.First)
	}
	if d.First.Before.Offset != strings.Index(a, "ß")+1 || d.First.After.Offset != strings.Index(b, "Þ")+1 {
		t.Errorf("offsets %d and %d", d.First.Before.Offset, d.First.After.Offset)
	}
	if at := strings.Index(a, `"grü`); d.Raw.Before.Offset != at || d.Raw.After.Offset != at || !d.MarkersMoved {
		t.Errorf("raw %+v", d.Raw)
	}
}

func TestAParameterLeavesOnlyThePartsBeforeItOfUse(t *testing.T) {
	before := request(msg, sys, toolA)
	for more, want := range map[string]int{
		`,"tool_choice":{"type":"any"}`: len(toolA + `"be kind"`), // counts from the messages on
		`,"speed":"fast"`:               len(toolA),               // from the system part on
		`,"max_tokens":7`:               len(toolA + `"be kind"` + msg),
	} {
		d := diffOf(t, "", before, request(msg, sys, toolA, more))
		if d.First != nil || d.UsableBytes != want || d.BytesAtStake != d.BytesAfter-want || (d.Verdict() == OK) != (d.BytesAtStake == 0) {
			t.Errorf("%s: %+v", more, d)
		}
	}
	d := diffOf(t, "", before, strings.Replace(before, "claude-a", "claude-b", 1))
	if d.Verdict() != ModelChanged || d.UsableBytes != 0 || d.CommonBytes != d.BytesAfter {
		t.Errorf("%+v", d)
	}
}

func TestAMarkerThatIsGoneFromTheSystemPartIsAReason(t *testing.T) {
	marked := strings.Replace(sys, "{", `{"cache_control":{"type":"ephemeral"},`, 1)
	if d := diffOf(t, "", request(msg, marked, toolA), request(msg, sys, toolA)); d.Verdict() != BreakpointsChanged || d.First != nil || d.BytesAtStake != 0 {
		t.Errorf("%+v", d)
	}
}

func TestWhatIsNoRequestIsNotCompared(t *testing.T) {
	_, err := DiffBodies("", []byte(`{}`), []byte(`[]`))
	if !errors.Is(err, ErrNotRequest) || !strings.Contains(err.Error(), "the later one") {
		t.Error(err)
	}
	if _, err := DiffBodies("", []byte(`{"a":secret`), []byte(`{}`)); err == nil || !strings.Contains(err.Error(), "the earlier one: split request: not JSON at byte 5") {
		t.Error(err)
	}
}
