package client

import (
	"testing"
	"testing/synctest"

	"github.com/tooltrail/tooltrail/events"
)

func TestTheEventOfACallInsideABridgeHasTheNameThatTheModelGave(t *testing.T) {
	for given, want := range map[string][3]string{
		"ProcessOrder":  {"guessed", "process_order", "ProcessOrder"},
		"process_order": {"not_activated", "process_order", ""},
		"launch":        {"unknown", "launch", ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, link := knowing(t, nil, orderDocument(t))
			k := c.ToolCallStart(events.Context{}, "call_tool", []byte(`{"name":"`+given+`"}`))
			k.State, _ = deferredOrder(t)
			_, err := k.Check(t.Context())
			if err == nil {
				t.Errorf("%s is let pass", given)
			}
			closeNow(t, c)
			e := all[*events.ToolCall](t, link)
			if len(e) != 1 || [3]string{string(e[0].Resolution), e[0].ResolvedName, e[0].BridgedName} != want || e[0].Bridge != "call_tool" {
				t.Errorf("%s: %+v, want %q", given, e, want)
			}
		})
	}
}
