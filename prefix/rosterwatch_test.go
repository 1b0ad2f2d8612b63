package prefix

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tooltrail/tooltrail/events"
)

func TestAToolsArrayMayGrowInOrderAndNotOtherwise(t *testing.T) {
	for _, tt := range []struct {
		name, before, after string
		want                ArrayKind
		legal, deferred     bool
	}{
		{"nothing changed", "A:1,B:2", "A:1,B:2", ArraySame, true, true},
		{"appended in order", "A:1,B:2", "A:1,B:2,C:3", ArrayInserted, true, false},
		{"inserted in the middle in order", "A:1,C:3", "A:1,B:2,C:3", ArrayInserted, true, false},
		{"several at once", "B:2,D:4", "A:1,B:2,C:3,D:4,E:5", ArrayInserted, true, false},
		{"appended out of order", "A:1,C:3", "A:1,C:3,B:2", ArrayUnsorted, false, false},
		{"appended to what never was in order", "B:2,A:1", "B:2,A:1,C:3", ArrayInserted, true, false},
		{"put before what never was in order", "B:2,A:1", "C:3,B:2,A:1", ArrayUnsorted, false, false},
		{"shrunk", "A:1,B:2", "A:1", ArrayShrunk, false, false},
		{"one for another", "A:1,B:2", "A:1,C:3", ArrayShrunk, false, false},
		{"reordered", "A:1,B:2", "B:2,A:1", ArrayReordered, false, false},
		{"replaced", "A:1,B:2", "A:1,B:3", ArrayReplaced, false, false},
		{"a name twice, then once", "A:1,A:1", "A:1", ArrayShrunk, false, false},
	} {
		got := arrayKind(toolsOf(tt.before), toolsOf(tt.after))
		if got != tt.want || got.legal(false) != tt.legal || got.legal(true) != tt.deferred {
			t.Errorf("%s: %q, legal %t, with deferred tools %t", tt.name, got, got.legal(false), got.legal(true))
		}
	}
}

func TestACauseExplainsTheToolsThatItIsAboutAndNoOthers(t *testing.T) {
	for _, tt := range []struct {
		name, before, after string
		cause               CauseKind
		names               string
		want                ArrayKind
		legal               bool
	}{
		{"a tool that a permission brought", "B:2", "A:1,B:2", CausePermission, "A", ArrayInserted, true},
		{"out of order", "A:1,C:3", "A:1,C:3,B:2", CausePermission, "B", ArrayUnsorted, true},
		{"a tool that a permission took", "A:1,B:2", "A:1", CausePermission, "B", ArrayShrunk, true},
		{"and another", "A:1,B:2,C:3", "A:1", CausePermission, "B", ArrayShrunk, false},
		{"and a definition", "A:1,B:2", "A:9,B:2,C:3", CausePermission, "C", ArrayReplaced, false},
		{"a permission named with a definition", "A:1,B:2", "A:9,B:2", CausePermission, "A", ArrayReplaced, false},
		{"a list's tools and a definition", "A:1,B:2", "A:9,C:3", CauseListChange, "C B A", ArrayReplaced, false},
		{"a list's tools and an order", "A:1,B:2", "B:2,A:1,C:3", CauseListChange, "C", ArrayReordered, false},
		{"a list's definition alone", "A:1,B:2", "A:9,B:2", CauseListChange, "A", ArrayReplaced, true},
		{"a list's definition and another", "A:1,B:2", "A:9,B:8", CauseListChange, "A", ArrayReplaced, false},
		{"a server's tools", "A:1,srv__x:2", "A:1", CauseReconnect, "srv", ArrayShrunk, true},
		{"a server's tools and one more", "A:1,srv__x:2", "", CauseReconnect, "srv", ArrayShrunk, false},
		{"a server whose tools don't bear its name", "A:1,B:2", "A:1", CauseReconnect, "srv", ArrayShrunk, true},
		{"and a definition beside them", "A:1,B:2", "A:9", CauseReconnect, "srv", ArrayReplaced, false},
		{"a deploy", "A:1,B:2", "B:9,C:1", CauseDeploy, "1 2", ArrayShrunk, true},
		{"an activation", "A:1,B:2", "A:1,C:3", CauseActivation, "C", ArrayShrunk, false},
	} {
		c := ArrayChange{Cause: tt.cause}
		c.judge(toolsOf(tt.before), toolsOf(tt.after), strings.Fields(tt.names), nil)
		if c.Kind != tt.want || c.Legal != tt.legal {
			t.Errorf("%s: %s, legal %t", tt.name, c.Kind, c.Legal)
		}
	}
}

func TestForAnotherModelAnArrayMayHaveAnotherFormAndNotFewerTools(t *testing.T) {
	for after, want := range map[string]bool{"A:9,B:2": true, "B:2,A:1": true, "A:1,B:2,C:3": true, "A:1": false, "B:2": true} {
		c := ArrayChange{ModelChanged: true}
		c.judge(toolsOf("A:1,B:2"), toolsOf(after), nil, map[string]bool{"A": true, "B": false}) // A can be deferred there
		if c.Legal != want {
			t.Errorf("%s: %s, legal %t", after, c.Kind, c.Legal)
		}
	}
}

func TestAnArrayInAnotherProvidersFormSaysNothing(t *testing.T) {
	for _, tt := range []struct {
		provider, model string
		seen, changed   bool
	}{
		{"anthropic", "claude-sonnet-4-5", true, false}, {"Anthropic", "claude-sonnet-4-5-20250929", true, false},
		{"anthropic", "claude-opus-4-5", true, true}, {"openai", "gpt-5", false, false},
	} {
		n := uint64(7)
		r := arrayRow{
			ProviderBefore: "anthropic", ModelBefore: "claude-sonnet-4-5", ProviderAfter: tt.provider, ModelAfter: tt.model,
			NamesBefore: []string{"A", "B"}, WiresBefore: []string{"1", "2"}, NamesAfter: []string{"A"}, WiresAfter: []string{"1"}, Tokens: &n,
		}
		c, seen := r.change(KnownTools{})
		if seen != tt.seen || c.ModelChanged != tt.changed || c.Legal || seen && (c.TokensLost == nil) != tt.changed {
			t.Errorf("%s %s: %+v, %t", tt.provider, tt.model, c.ArrayChange, seen)
		}
	}
}

func TestARosterFlapsByChangesThatNothingExplains(t *testing.T) {
	for _, tt := range []struct {
		series          string // digest, and : and the reason's first letter
		changes, values int
		back            bool
	}{
		{"a b a", 2, 2, true},
		{"a b c", 2, 3, false},
		{"a b:p a:p", 0, 0, false},
		{"a b:d a:d", 0, 0, false},
		{"a b:l a:l", 0, 0, false},
		{"a b:p a", 1, 2, false},
		{"a b a:p", 1, 2, false},
		{"a b:p a b", 2, 2, true},
		{"a:u b:u a:u c:p", 2, 2, true},
		{"a a:p b a", 2, 2, true},
	} {
		var values, reasons []string
		for _, x := range strings.Fields(tt.series) {
			value, why, _ := strings.Cut(x, ":")
			values = append(values, value)
			reasons = append(reasons, map[string]string{"p": "permission", "d": "deploy", "l": "list_changed", "u": "unknown", "": ""}[why])
		}
		if n, m, back := comesBack(values, reasons); n != tt.changes || m != tt.values || back != tt.back {
			t.Errorf("%s: %d changes between %d values, back %t", tt.series, n, m, back)
		}
	}
}

func TestLoadingToolsIntoASortedArrayIsAlwaysLegal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		loaded := map[int]bool{}
		array := func() []events.PrefixTool {
			var tools []events.PrefixTool
			for n := range 10 {
				if loaded[n] {
					tools = append(tools, events.PrefixTool{Name: fmt.Sprint("t", n), Digest: fmt.Sprint(n)})
				}
			}
			return tools
		}
		before := array()
		for _, n := range rapid.SliceOfN(rapid.IntRange(0, 9), 1, 10).Draw(t, "loads") {
			loaded[n] = true
			after := array()
			if k := arrayKind(before, after); !k.legal(false) {
				t.Fatalf("%v to %v is %s", before, after, k)
			}
			before = after
		}
	})
}

func TestReasonsFromOutsideExplainARoster(t *testing.T) {
	for reason, want := range map[string]bool{"deploy": true, "permission": true, "list_changed": true, "unknown": false, "": false} {
		if outsideReason(reason) != want {
			t.Errorf("%q explains a roster: %t", reason, !want)
		}
	}
}
