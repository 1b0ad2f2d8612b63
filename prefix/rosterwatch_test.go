package prefix

import (
	"fmt"
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
		if got != tt.want || got.legal(false, CauseNone) != tt.legal || got.legal(true, CauseActivation) != tt.deferred {
			t.Errorf("%s: %q, legal %t, with deferred tools %t", tt.name, got, got.legal(false, CauseNone), got.legal(true, CauseActivation))
		}
		if !got.legal(true, CauseListChange) {
			t.Errorf("%s: not legal where the server changed its list", tt.name)
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
			if k := arrayKind(before, after); !k.legal(false, CauseNone) {
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
