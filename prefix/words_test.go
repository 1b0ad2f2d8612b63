package prefix

import (
	"strings"
	"testing"
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
		{"a parameter", Break{Verdict: ParamsChanged, Params: []string{"thinking"}}, "(thinking)", "Keep thinking the same"},
		{"history", Break{Verdict: MessagesChanged, Message: &message}, "from message 4 on", "Append to the history"},
		{"a pause", Break{Verdict: TTLExpired, GapSeconds: 402}, "402 s after the request before", "one-hour cache"},
		{"nothing known", Break{Verdict: Unattributed}, "nothing that was sent explains it: 270,000 tokens", "Compare with the provider's own diagnosis"},
	} {
		tt.b.TokensLost = &tokens
		title := breakTitle(tt.b.Verdict, []Break{{Verdict: tt.b.Verdict}, tt.b}, tokens, &usd, 0)
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
		b := breakCause{verdict: ToolsChanged, cause: c}
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
