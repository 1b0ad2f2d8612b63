package drift

import (
	"strings"
	"testing"
	"time"
)

func TestBreakerSettingsThatCannotBeAreNamed(t *testing.T) {
	if err := DefaultBreakerSettings().Validate(); err != nil {
		t.Error(err)
	}
	zero, many, odd := 0, MaxBreakerErrors+1, BreakerScope("server")
	s := BreakerSettings{
		Errors: -1, Scope: "agent", MinConversations: 101, CoolDown: -1, AlertEvery: -1, Critical: []string{""},
		Tools: map[string]ToolBreaker{"": {}, "shop/order": {Errors: &zero, MinConversations: &many, Scope: &odd}},
	}
	err := s.Validate()
	for _, want := range []string{
		"errors -1 is not from 1 to 100", "min_conversations 101", `scope "agent"`, "cool_down", "probe_timeout", "alert_every", "critical", "tools: a tool has no name",
		`tools["shop/order"].errors 0`, `tools["shop/order"].min_conversations 101`, `tools["shop/order"].scope "server"`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\ndoes not say %s", err, want)
		}
	}
}

func TestAToolHasItsOwnBreakerSettings(t *testing.T) {
	five, off, cool := 5, true, time.Minute
	s := DefaultBreakerSettings()
	s.Tools = map[string]ToolBreaker{"shop/order": {Errors: &five, CoolDown: &cool}, "search": {Off: &off}}
	if got := s.Of(Key{"shop", "order"}); got.Errors != 5 || got.CoolDown != time.Minute || got.MinConversations != 1 || got.Off {
		t.Errorf("shop/order: %+v", got)
	}
	if got := s.Of(Key{"", "search"}); !got.Off || got.Errors != 3 {
		t.Errorf("search: %+v", got)
	}
	if got := s.Of(Key{"shop", "search"}); got.Off || got.Errors != 3 {
		t.Errorf("shop/search: %+v", got)
	}
}
