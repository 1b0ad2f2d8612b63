package prefix

import (
	"runtime"
	"strings"
	"testing"

	"github.com/tooltrail/tooltrail/events"
)

// repeated are bodies that say something n times, each in a way that would take n times n steps, or as much memory, where reading it
// once looked again at all that was read before.
var repeated = map[string]func(n int) string{
	"tools beside many blocks": func(n int) string { return `{"system":[` + times("0", n) + `],` + times(`"tools":0`, n) + `}` },
	"tools in an object": func(n int) string {
		return `{"messages":[` + times("0", n) + `],"toolConfig":{` + times(`"tools":[]`, n) + `}}`
	},
	"messages":                  func(n int) string { return `{` + times(`"messages":[]`, n) + `}` },
	"messages and none":         func(n int) string { return `{` + times(`"messages":[],"messages":null`, n) + `}` },
	"system beside many blocks": func(n int) string { return `{"messages":[` + times("0", n) + `],` + times(`"system":[0]`, n) + `}` },
	"parts beside many blocks": func(n int) string {
		return `{"contents":[` + times("0", n) + `],"systemInstruction":{` + times(`"parts":[0]`, n) + `}}`
	},
	"parameters":              func(n int) string { return `{"messages":[` + times("0", n) + `],` + times(`"tool_choice":0`, n) + `}` },
	"members":                 func(n int) string { return `{"messages":[` + times("0", n) + `],` + times(`"m":0`, n) + `}` },
	"declarations":            func(n int) string { return `{"tools":[{` + times(`"functionDeclarations":[{"name":"t"}]`, n) + `}]}` },
	"leading system messages": func(n int) string { return `{"messages":[` + times(`{"role":"system","content":"a"}`, n) + `]}` },
	"markers":                 func(n int) string { return `{"system":[` + times(`{"cache_control":{},"a":1}`, n) + `]}` },
	"markers in one message": func(n int) string {
		return `{"system":"","messages":[{"content":[` + times(`{"cache_control":{},"a":1}`, n) + `]}]}`
	},
	"markers many objects down":  func(n int) string { return nested(n/4, times(`{"cache_control":{}}`, n)) },
	"markers in one tool's form": func(n int) string { return `{"tools":[{"name":"x",` + times(`"cache_control":{},"a":1`, n) + `}]}` },
}

func times(s string, n int) string { return strings.TrimSuffix(strings.Repeat(s+",", n), ",") }

// nested is a body with a list in a message, some objects down.
func nested(depth int, list string) string {
	return `{"messages":[` + strings.Repeat(`{"content":`, depth) + `[` + list + `]` + strings.Repeat(`}`, depth) + `]}`
}

// growthLimit is how much more four times the body may take: four times as much, and as much again as slices grow in jumps.
const growthLimit = 8

func TestReadingTakesTimeAndMemoryInProportionToTheBody(t *testing.T) {
	for name, body := range repeated {
		few, fewBytes := effort(t, body(1000))
		many, manyBytes := effort(t, body(4000))
		if many > growthLimit*few || many > 4*len(body(4000)) {
			t.Errorf("%s: %d steps, and %d for four times as much", name, few, many)
		}
		for i, of := range []string{"reading", "comparing"} {
			if manyBytes[i] > growthLimit*fewBytes[i]+smallEffort {
				t.Errorf("%s: %d bytes of memory for %s, and %d for four times as much", name, fewBytes[i], of, manyBytes[i])
			}
		}
	}
}

// smallEffort is memory in bytes that says nothing of growth.
const smallEffort = 1 << 16

// effort is how many steps laying out a body takes, and how much memory reading it takes and comparing it with itself.
func effort(t *testing.T, body string) (steps int, memory [2]uint64) {
	t.Helper()
	s := newSplitter([]byte(body), events.Digester{})
	s.layout = &layout{}
	r, err := s.split("")
	if err != nil {
		t.Fatal(err)
	}
	s.layout.blocks(r.Params, len(body))
	a, b := []byte(body), []byte(body+" ")
	memory[0] = allocated(func() { _, err = Split("", a, events.Digester{}) })
	if err == nil {
		memory[1] = allocated(func() { _, err = DiffBodies("", a, b) })
	}
	if err != nil {
		t.Fatal(err)
	}
	return s.layout.steps, memory
}

// allocated is how many bytes of memory fn asks for.
func allocated(fn func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fn()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
