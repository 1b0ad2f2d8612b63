package prefix

import (
	"strings"
	"testing"

	"github.com/tooltrail/tooltrail/finding"
)

func TestABreaksTitleSaysWhatChangedWhereAndWhy(t *testing.T) {
	block, message, tokens, usd := 1, 4, int64(270_000), 0.93
	for _, tt := range []struct {
		name  string
		b     Break
		title string
		fix   string
	}{
		{
			"a tool that was activated", Break{Verdict: ToolsChanged, Tools: []ToolChange{{Name: "lsp", Kind: ToolAdded, Index: 1, Middle: true}}, Cause: CauseActivation, CauseNames: []string{"lsp"}},
			"lsp was inserted at place 2, since it had been activated", "Load tools by reference",
		},
		{
			"a definition that goes back and forth", Break{Verdict: ToolsChanged, Tools: []ToolChange{{Name: "X", Kind: ToolSameName, Rhythm: Flapping}, {Name: "Y", Kind: ToolSerialization}}},
			"the definition of X at place 1 changed, which goes back and forth, and 1 more change", "Keep a tool's definition the same",
		},
		{
			"a server that came back", Break{Verdict: ToolsChanged, Tools: []ToolChange{{Name: "X", Kind: ToolRemoved, Index: 3}}, Cause: CauseReconnect, CauseNames: []string{"mail"}},
			"X was removed from place 4, since a server came or went: mail", "until it is back",
		},
		{
			"a clock in the system prompt", Break{Verdict: SystemChanged, SystemBlock: &block, SystemRhythm: Volatile},
			"block 1, which keeps changing", "out of block 1 of the system prompt",
		},
		{"a deploy", Break{Verdict: SystemChanged, Cause: CauseDeploy}, "since the agent has another version", deployFix},
		{"a parameter", Break{Verdict: ParamsChanged, Params: []string{"thinking"}}, "thinking)", "Keep thinking the same"},
		{"history", Break{Verdict: MessagesChanged, Message: &message}, "from message 4 on", "Append to the history"},
		{"a pause", Break{Verdict: TTLExpired, GapSeconds: 402}, "(0 to 402 s after the request before)", "one-hour cache"},
		{"nothing known", Break{Verdict: Unattributed}, "nothing that was sent explains it: 270,000 tokens", "Compare with the provider's own diagnosis"},
		{
			"nothing seen", Break{Verdict: Unattributed, Unseen: []string{"tools", "system"}},
			"nothing that was seen explains it; tools and system prompt are not in this recording: 270,000", "Record tools and system prompt with each request",
		},
	} {
		tt.b.TokensLost = &tokens
		title := breakTitle(tt.b.Verdict, []Break{{Verdict: tt.b.Verdict}, tt.b}, lostSum{tokens: tokens, usd: &usd})
		if !strings.Contains(title, tt.title) || !strings.HasSuffix(title, "270,000 tokens processed again, $0.93") {
			t.Errorf("%s: title %q", tt.name, title)
		}
		if got := action(tt.b.Verdict, []Break{tt.b}); !strings.Contains(got, tt.fix) {
			t.Errorf("%s: action %q", tt.name, got)
		}
	}
}

func TestEveryCauseAndKindHasWords(t *testing.T) {
	for _, c := range []CauseKind{CauseActivation, CauseReconnect, CauseListChange, CausePermission, CauseThreshold, CauseDeploy} {
		b := breakCause{verdict: ToolsChanged, cause: c, kind: ToolAdded}
		if causeDetails(c, []string{"x"}) == "" || b.fix() == toolAdvice(ToolAdded) {
			t.Errorf("%s says nothing of its own", c)
		}
	}
	for _, k := range toolKinds {
		if text := toolDetails([]ToolChange{{Name: "x", Kind: k}}); !strings.Contains(text, "x") || strings.Contains(text, "%!") {
			t.Errorf("%s: %q", k, text)
		}
	}
}

func TestABreakThatLostNothingIsNoFinding(t *testing.T) {
	none := int64(0)
	c := Conversation{ID: "c", Requests: 2, Breaks: []Break{{Request: 2, Verdict: ModelChanged, TokensLost: &none}}}
	f := facts{settings: DefaultSettings()}
	f.add(&c)
	if got := f.findings(); len(got) != 0 {
		t.Errorf("findings %+v", got)
	}
	c.Breaks[0].TokensLost = nil
	f.add(&c)
	if got := f.findings(); len(got) != 1 || !strings.Contains(got[0].Title, "cost not known") {
		t.Errorf("findings of an unknown loss: %+v", got)
	}
}

func TestAdviceGoesByOneKindAndOneCause(t *testing.T) {
	tool := func(name string, k ToolChangeKind) ToolChange { return ToolChange{Name: name, Kind: k} }
	lost := func(n int64, c CauseKind, tools ...ToolChange) Break {
		return Break{Verdict: ToolsChanged, TokensLost: &n, Cause: c, Tools: tools, CauseNames: []string{"mail"}}
	}
	for _, tt := range []struct {
		name  string
		group []Break
		want  string
	}{
		{"a tool that is gone beside one that came", []Break{lost(9, "", tool("X", ToolRemoved), tool("Y", ToolAdded))}, toolAdvice(ToolRemoved) + " Tools: X."},
		{"an activation", []Break{lost(9, CauseActivation, tool("Y", ToolAdded)), lost(1, "", tool("X", ToolRemoved))}, activationFix + " Tools: Y."},
		{"an activation that took another's place", []Break{lost(9, CauseActivation, tool("Y", ToolAdded), tool("X", ToolRemoved))},
			activationFix + " " + toolAdvice(ToolRemoved) + " Tools: X."},
		{"two of one kind", []Break{lost(1, "", tool("X", ToolAdded)), lost(9, "", tool("Y", ToolAdded)), lost(1, "", tool("Z", ToolSameName))}, addFix + " Tools: X, Y."},
		{"a server", []Break{lost(9, CauseReconnect, tool("Y", ToolRemoved))}, "Keep the tools of a server that is away in the array, and refuse their calls until it is back. Servers: mail."},
	} {
		if got := action(ToolsChanged, tt.group); got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
	for array, kind := range map[ArrayKind]ToolChangeKind{
		ArrayShrunk: ToolRemoved, ArrayReplaced: ToolSameName, ArrayReordered: ToolReordered, ArrayInserted: ToolAdded, ArrayUnsorted: ToolAdded,
	} {
		if got := arrayAction(&ArrayChange{Kind: array}); got != toolAdvice(kind) {
			t.Errorf("%s: %q", array, got)
		}
	}
}

func TestATitleSaysWhatItDoesNotKnow(t *testing.T) {
	lost := func(tokens int64, usd *float64) Break {
		return Break{Verdict: ParamsChanged, Params: []string{"effort"}, TokensLost: &tokens, CostUSD: usd}
	}
	usd := 0.5
	for _, tt := range []struct {
		group []Break
		want  string
	}{
		{[]Break{lost(9000, &usd), lost(1000, &usd)}, "(effort): 10,000 tokens processed again, $1.00"},
		{[]Break{lost(9000, &usd), lost(1000, nil)}, "(effort): 10,000 tokens processed again, at least $0.50"},
		{[]Break{lost(9000, &usd), {Verdict: ParamsChanged, Params: []string{"effort"}}}, "(effort): at least 9,000 tokens processed again, at least $0.50"},
		{[]Break{lost(9000, nil), {Verdict: ParamsChanged, Params: []string{"thinking"}}}, "(the dearest: effort): at least 9,000 tokens processed again"},
		{[]Break{{Verdict: TTLExpired, GapSeconds: 402, TokensLost: new(int64)}}, "(402 s after the request before): 0 tokens processed again"},
		{[]Break{{Verdict: Unattributed, Unseen: []string{"system"}, TokensLost: new(int64)}}, "; system prompt is not in this recording: 0 tokens processed again"},
	} {
		if got := breakTitle(tt.group[0].Verdict, tt.group, sumOf(tt.group)); !strings.HasSuffix(got, tt.want) {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

func TestWhatCouldHaveBeenReadIsAWarning(t *testing.T) {
	usd := 0.02
	c := Conversation{ID: "c", Agent: "a", Flux: []Flux{
		{Kind: Volatile, Part: "tools", Name: "X", Requests: 6, Changes: 5, CouldRead: 9_000}, {Kind: Volatile, Part: "tools", Name: "Y", Requests: 6, Changes: 5, CouldRead: 25_600, CouldReadUSD: &usd},
		{Kind: Flapping, Part: "system", Name: "0", Requests: 6, Changes: 5},
	}}
	f, r := facts{settings: DefaultSettings()}, NewReport()
	f.add(&c)
	r.addFluxRisks(&c)
	got := f.findings()
	if len(got) != 2 || got[0].Severity != finding.Warning || got[0].Numbers["could_read_tokens"] != 25_600 || got[0].Numbers["could_read_usd"] != usd ||
		!strings.HasSuffix(got[0].Title, "25,600 tokens could have been, which would have saved $0.02") {
		t.Fatalf("findings %+v", got)
	}
	if x := got[1]; x.Severity != finding.Info || x.Numbers["could_read_tokens"] != 0 || strings.Contains(x.Title, "could") {
		t.Errorf("flux of what lost elsewhere %+v", x)
	}
	if x := r.FluxRisks; len(x) != 1 || x[0].CouldRead != 25_600 || len(x[0].Names) != 2 || x[0].Conversation != "c" {
		t.Errorf("risks %+v", x)
	}
}
