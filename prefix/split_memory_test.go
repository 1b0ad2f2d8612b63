package prefix

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
)

func TestARememberedArraySaysWhatItSaidBefore(t *testing.T) {
	for _, d := range []events.Digester{{}, {Key: []byte("k")}} {
		s := NewSplitter(d)
		for range 3 {
			for name, c := range slotted {
				body, _ := mark(c.body, c.marker, 0)
				want, err := Split(c.provider, []byte(body), d)
				if err != nil {
					t.Fatal(err)
				}
				got, err := s.Split(c.provider, []byte(body))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s: %s", name, diff)
				}
			}
		}
		if len(s.arrays) != 6 { // DeepSeek's and Mistral's have no tools
			t.Errorf("%d arrays are remembered", len(s.arrays))
		}
	}
}

func TestAnArrayOfAnotherLengthIsAnother(t *testing.T) {
	s := NewSplitter(events.Digester{})
	for _, n := range []int{3, 1, 2, 3, 0, 1} {
		tools := strings.TrimSuffix(strings.Repeat(`{"name":"a"},`, n), ",")
		r, err := s.Split("", []byte(`{"messages":[],"tools":[`+tools+`]}`))
		if err != nil || len(r.Tools) != n || len(r.RawTools) != n {
			t.Errorf("%d: %+v %v", n, r, err)
		}
	}
	if _, err := s.Split("", []byte(`{"tools":[{"name":"a"}]]}`)); err == nil {
		t.Error("what follows a remembered array is not looked at")
	}
}

func TestWhatWasGivenOutMayBeChanged(t *testing.T) {
	s, body := NewSplitter(events.Digester{}), []byte(`{"tools":[{"name":"a","cache_control":{}},{"name":"b","defer_loading":true}]}`)
	for range 3 {
		b := bytes.Clone(body)
		r, err := s.Split("", b)
		if err != nil || r.Tools[0].Name != "a" || r.Deferred[0] != "b" || r.Breakpoints[0].Part != "tools" || string(r.RawTools[1][:9]) != `{"name":"` {
			t.Fatalf("%+v %v", r, err)
		}
		r.Tools[0].Name, r.Deferred[0], r.Breakpoints[0].Part = "x", "x", "x"
		clear(b)
	}
}

func TestTheMemoryForToolsIsBounded(t *testing.T) {
	s := NewSplitter(events.Digester{})
	for i := range MaxRememberedArrays + 9 {
		if _, err := s.Split("", fmt.Appendf(nil, `{"tools":[{"name":"t%d"}]}`, i)); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.arrays) != MaxRememberedArrays || s.find([]byte(`[{"name":"t8"}]`), 1) != nil || s.find([]byte(`[{"name":"t9"}]`), 1) == nil {
		t.Errorf("%d arrays", len(s.arrays))
	}
	large := func(n, size int) []byte {
		return []byte(fmt.Sprintf(`{"tools":[{"name":"%d","description":"`, n) + strings.Repeat("x", size) + `"}]}`)
	}
	for n := range 9 {
		if _, err := s.Split("", large(n, MaxRememberedBytes/4)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Split("", large(0, MaxRememberedBytes)); err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, a := range s.arrays {
		total += a.size
	}
	if total != s.bytes || total > MaxRememberedBytes || len(s.arrays) != 3 {
		t.Errorf("%d bytes in %d arrays, counted %d", total, len(s.arrays), s.bytes)
	}
}

func TestASplitterIsForManyGoroutines(t *testing.T) {
	s := NewSplitter(events.Digester{})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range 200 {
				r, err := s.Split("", fmt.Appendf(nil, `{"tools":[{"name":"t%d"}],"messages":["%d"]}`, (n+i)%(MaxRememberedArrays+5), n))
				if err != nil || r.Tools[0].Name != fmt.Sprintf("t%d", (n+i)%(MaxRememberedArrays+5)) {
					t.Error(r, err)
				}
			}
		})
	}
	all.Wait()
}

func TestNoTextOfMessagesIsKept(t *testing.T) {
	s := NewSplitter(events.Digester{})
	if _, err := s.Split("", []byte(`{"system":"SECRET","messages":["SECRET"],"tools":[{"name":"a"}],"metadata":"SECRET"}`)); err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprintf("%+v %s", *s.arrays[0], s.arrays[0].text); strings.Contains(text, "SECRET") || len(s.arrays) != 1 {
		t.Error(text)
	}
}

// sharedTools are the real definitions that were recorded, nil where they are not there.
func sharedTools(t *testing.T) []jsontext.Value {
	data, err := os.ReadFile("../../shared/data/mcp-tool-history.jsonl")
	if err != nil {
		t.Skip(err)
	}
	var all []jsontext.Value
	for line := range bytes.Lines(data) {
		var release struct {
			Tools []jsontext.Value `json:"tools"`
		}
		if err := json.Unmarshal(line, &release); err != nil {
			t.Fatal(err)
		}
		all = append(all, release.Tools...)
	}
	return all
}

func TestToolsAreReadAsEventsReadThem(t *testing.T) {
	for _, raw := range sharedTools(t) {
		for _, form := range []string{`%s`, `{"type":"function","function":%s}`, `{"toolSpec":%s,"cache_control":{}}`, `{"defer_loading":false,"prompt_cache_breakpoint":{},"function":%s}`} {
			sameTool(t, fmt.Appendf(nil, form, raw))
		}
	}
}

// sameTool holds what Split says of a tool against what package events does.
func sameTool(t *testing.T, raw []byte) {
	t.Helper()
	tool, err := events.ParseTool(raw)
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	wire, err := events.Digester{}.Wire(raw)
	if err != nil {
		t.Fatal(err)
	}
	r := mustSplit(t, "", `{"tools":[`+string(raw)+`]}`)
	if len(r.Tools) != 1 || r.Tools[0].Name != tool.Name || r.Tools[0].Digest != events.Shorten(wire) {
		t.Errorf("%s: %+v, want %s %s", raw, r.Tools, tool.Name, wire)
	}
}

func TestWhatIsRememberedTakesNoMoreMemoryThanItsBound(t *testing.T) {
	const margin = MaxRememberedBytes / 4 // sizes are rounded up where memory is handed out
	for name, element := range map[string]string{
		"numbers":     `0`,
		"nothing":     `{}`,
		"short names": `{"name":"abcdefgh"}`,
		"deferred":    `{"name":"abcdefgh","defer_loading":true}`,
		"markers":     `{"name":"a","cache_control":{},"cache_control":{},"cache_control":{}}`,
		"long names":  `{"name":"` + strings.Repeat("x", 1000) + `"}`,
		"namespaces":  `{"type":"namespace","name":"n","tools":[{"name":"a"},{"name":"b","defer_loading":true}]}`,
		"declared":    `{"functionDeclarations":[{"name":"a"},{"name":"b"}]}`,
		"cache point": `{"cachePoint":{}}`,
	} {
		for _, elements := range []int{MaxRememberedTools - 99, 100 * MaxRememberedTools} {
			s := NewSplitter(events.Digester{})
			before := heapInUse()
			for n := range 20 {
				elements := min(elements, MaxRememberedBytes/8/len(element)*9/10)
				body := fmt.Appendf(nil, `{"tools":[%d,%s]}`, n, times(element, elements))
				if _, err := s.Split("", body); err != nil {
					t.Fatal(err)
				}
				if n > 3 && elements > MaxRememberedTools {
					break
				}
			}
			kept := heapInUse() - before
			if kept > MaxRememberedBytes+margin || kept > int64(s.bytes)*5/4+1<<20 {
				t.Errorf("%s: %d KiB are kept of arrays of %d, counted %d KiB in %d arrays", name, kept>>10, elements, s.bytes>>10, len(s.arrays))
			}
			runtime.KeepAlive(s)
		}
	}
}

// heapInUse is how much memory is in use, in bytes.
func heapInUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestAnArrayOfAbsurdlyManyToolsIsNotRemembered(t *testing.T) {
	for what, element := range map[string]string{"tools": `{"name":"a"}`, "deferred tools": `{"name":"a","defer_loading":true}`, "elements": `0`} {
		for n, want := range map[int]int{MaxRememberedTools: 1, MaxRememberedTools + 1: 0} {
			s := NewSplitter(events.Digester{})
			if _, err := s.Split("", []byte(`{"tools":[`+times(element, n)+`]}`)); err != nil || len(s.arrays) != want {
				t.Errorf("%d %s: %d arrays are remembered, want %d; %v", n, what, len(s.arrays), want, err)
			}
		}
	}
}
