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
		Errors: -1, Scope: "agent", MinConversations: 101, CoolDown: -1, AlertEvery: -1, MaxUnregistered: -1, Critical: []string{""},
		Tools: map[string]ToolBreaker{"": {}, "shop/order": {Errors: &zero, MinConversations: &many, Scope: &odd}},
	}
	err := s.Validate()
	for _, want := range []string{
		"errors -1 is not from 1 to 100", "min_conversations 101", `scope "agent"`, "cool_down", "probe_timeout", "alert_every", "max_unregistered -1 is not from 0 to 16384", "critical", "tools: a tool has no name",
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

func TestNamesOfToolsMayHaveStars(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"shop/order", "shop/order", true}, {"shop/order", "shop/orders", false}, {"shop/*", "shop/order", true}, {"shop/*", "shopper/order", false},
		{"*", "", true}, {"*", "x", true}, {"*order", "shop/order", true}, {"*order", "shop/orders", false}, {"s*/*r", "shop/order", true},
		{"a*a", "a", false}, {"a*a", "aa", true}, {"*a*b*", "xxaxxbxx", true}, {"*b*a*", "xxaxxbxx", false}, {"", "", true}, {"", "x", false},
	} {
		if got := fitsName(c.pattern, c.name); got != c.want {
			t.Errorf("%q fits %q: %v", c.pattern, c.name, got)
		}
	}
	two, four, six, eight := 2, 4, 6, 8
	s := DefaultBreakerSettings()
	s.Critical = []string{"pay/*"}
	s.Tools = map[string]ToolBreaker{"*": {Errors: &two}, "shop/*": {Errors: &four}, "shop/*r": {Errors: &six}, "shop/order": {Errors: &eight}}
	for tool, want := range map[string]int{"order": 8, "buyer": 6, "search": 4} {
		if got := s.Of(Key{"shop", tool}).Errors; got != want {
			t.Errorf("%s: %d", tool, got)
		}
	}
	if got := s.Of(Key{"", "other"}).Errors; got != 2 {
		t.Errorf("other: %d", got)
	}
	if s.alertOnly(Key{"pay", "refund"}, false, time.Time{}) != AlertCritical || s.alertOnly(Key{"shop", "order"}, false, time.Time{}) != "" {
		t.Error("critical tools are not those that are named")
	}
}
