package client

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/events"
)

func TestACallOfANameOfAnyBytesIsToldOf(t *testing.T) {
	for name, want := range map[string]string{
		"":                             "",
		"get_user":                     "get_user",
		"\x00\x1b[31m":                 "\x00\x1b[31m",
		"a\xff\xfeb":                   "a\ufffdb",
		strings.Repeat("x", 256):       strings.Repeat("x", 256),
		strings.Repeat("x", 1<<20):     strings.Repeat("x", 256) + "...",
		strings.Repeat("\xff", 1<<20):  "...",
		"a" + strings.Repeat("é", 512): "a" + strings.Repeat("é", 127) + "...",
	} {
		synctest.Test(t, func(t *testing.T) {
			c, link := fake(t, nil, nil)
			k := c.ToolCallStart(events.Context{}, name, []byte("{\"\xff\":1}"))
			k.State = activation.NewState(activation.NewRoster(activation.RosterInput{Tools: []activation.Tool{{Name: name, Server: "s\xff"}}}))
			if _, err := k.Check(t.Context()); err != nil {
				t.Errorf("%.40q is judged by another name: %v", name, err)
			}
			k.End(events.OutcomeOK, "")
			closeNow(t, c)
			_, e := only[*events.ToolCall](t, link)
			if e.ToolName != want || e.Server != "s\ufffd" || e.Resolution != events.ResolvedOK {
				t.Errorf("%.40q is told as %.60q of %q, %s", name, e.ToolName, e.Server, e.Resolution)
			}
		})
	}
}

func TestFittingAUsualNameAllocatesNothing(t *testing.T) {
	e := &events.Event{Data: &events.ToolCall{ToolName: "mcp__github__issue_read", ResolvedName: "issue_read", Server: "github"}}
	if n := testing.AllocsPerRun(100, func() { fitNames(e) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	fitNames(&events.Event{Data: (*events.ToolCall)(nil)})
	fitNames(&events.Event{})
}
