package prefix

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tooltrail/tooltrail/events"
)

// arrayOf writes the array that definitions of tools make.
func arrayOf(tools []events.PrefixTool, d definitions) string {
	var all []string
	for _, t := range tools {
		all = append(all, string(d[t.Digest]))
	}
	return "[" + strings.Join(all, ",") + "]"
}

func TestThePlaceIsAsExactAsTheDefinitionsThatAreStored(t *testing.T) {
	all := definitions{"1": []byte(`{"name":"A"}`), "2": []byte(`{"name":"B","x":1}`), "2x": []byte(`{"name":"B","x":2}`), "3": []byte(`{"name":"C"}`)}
	for _, tt := range []struct {
		name, before, after string
		missing             string
		want                string // tool name, known, byte
	}{
		{"a definition changed", "A:1,B:2", "A:1,B:2x", "", "1 B byte 30"},
		{"the earlier one is not stored", "A:1,B:2", "A:1,B:2x", "2", "1 B tool_start 14"},
		{"one before it is not stored", "A:1,B:2", "A:1,B:2x", "1", "1 B tool -"},
		{"the first one changed", "B:2,A:1", "B:2x,A:1", "1", "0 B byte 17"},
		{"appended", "A:1", "A:1,B:2", "", "1 B byte 13"},
		{"appended, itself not stored", "A:1", "A:1,B:2", "2", "1 B byte 13"},
		{"the last one removed", "A:1,B:2", "A:1", "", "1 B byte 13"},
		{"inserted in the middle", "A:1,C:3", "A:1,B:2,C:3", "", "1 B byte 23"},
		{"another order", "A:1,B:2", "B:2,A:1", "", "0 B byte 10"},
		{"the same", "A:1", "A:1", "", "-1  none -"},
	} {
		d := definitions{}
		for digest, raw := range all {
			if digest != tt.missing {
				d[digest] = raw
			}
		}
		p := d.firstPlace(toolsOf(tt.before), toolsOf(tt.after))
		got := fmt.Sprintf("%d %s %s -", p.Tool, p.Name, p.Known)
		if p.Byte != nil {
			got = fmt.Sprintf("%d %s %s %d", p.Tool, p.Name, p.Known, *p.Byte)
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestTheByteIsThatOfTheWrittenArrays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := definitions{}
		draw := func(label string) []events.PrefixTool {
			var tools []events.PrefixTool
			for _, n := range rapid.SliceOfN(rapid.IntRange(0, 5), 0, 6).Draw(t, label) {
				digest := fmt.Sprint(n)
				d[digest] = fmt.Appendf(nil, `{"name":"%s"}`, strings.Repeat("t", n))
				tools = append(tools, events.PrefixTool{Name: "t" + digest, Digest: digest})
			}
			return tools
		}
		before, after := draw("before"), draw("after")
		p := d.firstPlace(before, after)
		if slices.Equal(before, after) {
			if p.Known != PlaceNone {
				t.Fatalf("equal arrays differ at %+v", p)
			}
			return
		}
		a, b := arrayOf(before, d), arrayOf(after, d)
		if want := commonBytes([]byte(a), []byte(b)); p.Known != PlaceByte || *p.Byte != int64(want) {
			t.Fatalf("%s and %s differ at byte %d, not %+v", a, b, want, p)
		}
	})
}
