package drift

import (
	"testing"

	"github.com/tooltrail/tooltrail/events"
)

func TestANameIsSplitAtAKnownServer(t *testing.T) {
	known := map[Key]bool{{"shop", "order"}: true, {"a__b", "c"}: true, {"x", "y__z"}: true, {"x__y", "z"}: true, {"", "shop.own"}: true, {"shop", "own"}: true}
	for name, want := range map[string]Key{
		"mcp__shop__order": {"shop", "order"}, "shop__order": {"shop", "order"}, "shop.order": {"shop", "order"},
		"shop:order": {"shop", "order"}, "shop/order": {"shop", "order"}, "a__b__c": {"a__b", "c"},
		"x__y__z":  {"", "x__y__z"}, // two tools may be meant
		"order":    {"", "order"},
		"shop.own": {"", "shop.own"}, // the agent's own tool of that name
		"shop__":   {"", "shop__"}, "__order": {"", "__order"}, "": {},
	} {
		c := events.ToolCall{ToolName: name}
		got := PlaceCall(&c, func(k Key) bool { return known[k] })
		if got != want || want.Server != "" && (c.Server != want.Server || c.ResolvedName != want.Tool) {
			t.Errorf("%q is %v, in the event %q and %q, want %v", name, got, c.Server, c.ResolvedName, want)
		}
	}
}

func TestACallThatSaysWhoseToolItIsIsLeftAlone(t *testing.T) {
	c := events.ToolCall{ToolName: "shop__order", Server: "other"}
	if got := PlaceCall(&c, func(Key) bool { return true }); got != (Key{"other", "shop__order"}) || c.ResolvedName != "" {
		t.Errorf("%v, %+v", got, c)
	}
}
