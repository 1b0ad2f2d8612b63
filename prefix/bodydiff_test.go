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
			if d.CommonBytes != len(common) || d.UsableBytes != 0 || d.BytesAtStake != 0 {
				t.Errorf("%d bytes in common, %d of use, %d at stake, want %d and none without a marker", d.CommonBytes, d.UsableBytes, d.BytesAtStake, len(common))
			}
			if kept := diffOf(t, "deepseek", before, c.after); kept.UsableBytes != kept.CommonBytes || kept.BytesAtStake != max(0, min(kept.BytesBefore, kept.BytesAfter)-kept.CommonBytes) {
				t.Errorf("a provider that caches by itself: %+v", kept)
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

const ephemeral = `"cache_control":{"type":"ephemeral"}`

// marked puts a marker into an object.
func marked(object string) string { return object[:len(object)-1] + "," + ephemeral + "}" }

func TestAParameterLeavesOnlyThePartsBeforeItOfUse(t *testing.T) {
	tools, system, all := len(toolA), len(toolA+`"be kind"`), len(toolA+`"be kind"`+msg)
	before := request(marked(msg), marked(sys), toolA)
	for more, want := range map[string]struct{ itself, marked int }{
		`,"tool_choice":{"type":"any"}`: {system, system}, // counts from the messages on
		`,"speed":"fast"`:               {tools, 0},       // from the system part on; no marker is before it
		`,"max_tokens":7`:               {all, all},
	} {
		after := request(marked(msg), marked(sys), toolA, more)
		d := diffOf(t, "", before, after)
		if d.First != nil || !d.MarkersNeeded || d.UsableBytes != want.marked || d.BytesAtStake != all-want.marked || (d.Verdict() == OK) != (d.BytesAtStake == 0) {
			t.Errorf("%s: %+v", more, d)
		}
	}
	const function = `{"type":"function","function":{"name":"f"}}`
	chat := func(more string) string {
		return `{"model":"gpt-5","tools":[` + function + `],"messages":[{"role":"system","content":"s"},` + msg + `]` + more + `}`
	}
	d := diffOf(t, "openai", chat(""), chat(`,"verbosity":"high"`))
	if d.MarkersNeeded || d.UsableBytes != len(function) || d.BytesAtStake != d.BytesAfter-len(function) {
		t.Errorf("%+v", d)
	}
	d = diffOf(t, "", before, strings.Replace(before, "claude-a", "claude-b", 1))
	if d.Verdict() != ModelChanged || d.UsableBytes != 0 || d.CommonBytes != d.BytesAfter || d.BytesAtStake != all {
		t.Errorf("%+v", d)
	}
}

func TestWhatIsAtStakeEndsAtTheLastMarker(t *testing.T) {
	const one, two, sysTwo = `{"type":"text","text":"a long document"}`, `{"type":"text","text":"and?"}`, `{"type":"text","text":"be brief"}`
	messages := func(blocks ...string) string { return `{"role":"user","content":[` + strings.Join(blocks, ",") + `]}` }
	other := strings.Replace(two, "and", "but", 1)
	head := len(toolA + `"be kind"` + `"be brief"`) // a text block is digested as its text
	for name, c := range map[string]struct {
		before, after          string
		cached, usable, atRisk int
	}{
		"no marker": {request(msg, sys, toolA), request(msg, sys, toolC), 0, 0, 0},
		"a change in what no marker covers": {
			request(msg, marked(sys)+","+sysTwo, toolA), request(msg, marked(sys)+","+strings.Replace(sysTwo, "brief", "short", 1), toolA), len(toolA + `"be kind"`), len(toolA + `"be kind"`), 0,
		},
		"a change before the last marker and behind another": {
			request(marked(msg), sys+","+marked(sysTwo), toolA), request(strings.Replace(marked(msg), "hi", "ha", 1), sys+","+marked(sysTwo), toolA), head + len(msg), head, len(msg),
		},
		"a change before the only marker of its part": {
			request(marked(msg), sys+","+marked(sysTwo), marked(toolA)), request(marked(msg), sys+","+marked(strings.Replace(sysTwo, "brief", "short", 1)), marked(toolA)), head + len(msg), len(toolA), head + len(msg) - len(toolA),
		},
		"a change behind the marked block of a message": {
			request(messages(marked(one), two), sys, toolA), request(messages(marked(one), other), sys, toolA), len(toolA+`"be kind"`+`{"role":"user","content":[`) + len(one), len(toolA+`"be kind"`+`{"role":"user","content":[`) + len(one), 0,
		},
		"markers that are gone": {
			request(msg, marked(sys), toolA), request(msg, sys, toolA), len(toolA + `"be kind"`), 0, len(toolA + `"be kind"`),
		},
		"one marker for all": {
			request(msg, sys, toolA, ",", ephemeral), request(msg+","+reply, sys, toolA, ",", ephemeral), len(toolA + `"be kind"` + msg), len(toolA + `"be kind"` + msg), 0,
		},
	} {
		d := diffOf(t, "", c.before, c.after)
		if d.CachedBytes != c.cached || d.UsableBytes != c.usable || d.BytesAtStake != c.atRisk || !d.MarkersNeeded {
			t.Errorf("%s: %d cached, %d of use, %d at stake; want %d, %d, %d", name, d.CachedBytes, d.UsableBytes, d.BytesAtStake, c.cached, c.usable, c.atRisk)
		}
		if d.Fix() == "" && d.Verdict() != OK {
			t.Errorf("%s: nothing to do", name)
		}
	}
}

func TestWhoNeedsMarkers(t *testing.T) {
	for name, c := range map[string]struct {
		provider, body string
		want           bool
	}{
		"anthropic":                 {"anthropic", request(msg, sys, toolA), true},
		"bedrock":                   {"bedrock", `{"modelId":"m","messages":[{"role":"user","content":[{"text":"a"}]}]}`, true},
		"openrouter with claude":    {"openrouter", `{"model":"anthropic/claude-a","messages":[` + msg + `]}`, true},
		"openrouter with gpt":       {"openrouter", `{"model":"openai/gpt-5","messages":[` + msg + `]}`, false},
		"openai":                    {"openai", `{"model":"gpt-5","messages":[` + msg + `]}`, false},
		"openai that wants it so":   {"openai", `{"model":"gpt-5.6","messages":[` + msg + `],"prompt_cache_options":{"mode":"explicit"}}`, true},
		"gemini":                    {"google", `{"contents":[{"role":"user","parts":[{"text":"a"}]}]}`, false},
		"deepseek in claude's form": {"deepseek", request(msg, sys, toolA), false},
	} {
		if got := mustSplit(t, c.provider, c.body).NeedsMarkers(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestAMarkerThatIsGoneFromTheSystemPartIsAReason(t *testing.T) {
	if d := diffOf(t, "", request(msg, marked(sys), toolA), request(msg, sys, toolA)); d.Verdict() != BreakpointsChanged || d.First != nil || d.BytesAtStake == 0 {
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
