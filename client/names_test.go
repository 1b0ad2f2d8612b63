package client

import (
	"iter"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

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

// kindsOfData are empty events of all kinds.
func kindsOfData() []events.Data {
	return []events.Data{
		new(events.ToolCall), new(events.Activation), new(events.RequestPrefix), new(events.ToolRoster), new(events.ToolDefinition),
		new(events.ClientHeartbeat),
	}
}

// stringsIn fills every string below a value, by its place, with what of returns, a list with one item. Digests, which have a form, and the
// values of enumerations are left out.
func stringsIn(v reflect.Value, at string, of func(at string, old string) string) {
	switch {
	case v.Type() == reflect.TypeFor[jsontext.Value](), v.Type() == reflect.TypeFor[time.Time](), strings.HasSuffix(at, "Digest"):
	case at == "RequestPrefix.System" || at == "RequestPrefix.Messages" || at == "ToolCall.Execution" || at == "RequestPrefix.Breakpoints.Part":
	case v.Type() == reflect.TypeFor[string]():
		v.SetString(of(at, v.String()))
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			stringsIn(v.Field(i), at+"."+v.Type().Field(i).Name, of)
		}
	case v.Kind() == reflect.Slice:
		if v.Len() == 0 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		}
		for i := range v.Len() {
			stringsIn(v.Index(i), at, of)
		}
	}
}

func TestAStringOfAnyBytesFitsInAnyField(t *testing.T) {
	hostile := []string{
		"\xff", "a\xff\xfeb", "\x00\x1b[31m\u2028", strings.Repeat("x", 1<<20), strings.Repeat("\xff", 1<<20), strings.Repeat("a\xff", 1<<12),
		strings.Repeat("é", 1<<12), "a" + strings.Repeat("é", 1<<12), strings.Repeat("\U0001F600", 1<<12),
	}
	for _, empty := range kindsOfData() {
		fields := 0
		for _, value := range hostile {
			data := reflect.New(reflect.TypeOf(empty).Elem())
			e := &events.Event{Source: value, Data: data.Interface().(events.Data)}
			kind := data.Elem().Type().Name()
			stringsIn(data.Elem(), kind, func(string, string) string { fields++; return value })
			fit(e)
			once := map[string]string{}
			stringsIn(data.Elem(), kind, func(at, s string) string {
				if once[at] = s; !utf8.ValidString(s) || len(s) > maxText || s == "" {
					t.Errorf("%s is %d bytes of %.20q after %.20q", at, len(s), s, value)
				}
				return s
			})
			fit(e)
			stringsIn(data.Elem(), kind, func(at, s string) string {
				if s != once[at] {
					t.Errorf("%s changes when it is made to fit again, after %.20q", at, value)
				}
				return s
			})
			if !utf8.ValidString(e.Source) || len(e.Source) > maxText {
				t.Errorf("the source is %.20q", e.Source)
			}
		}
		if fields < len(hostile) {
			t.Errorf("%T: %d strings were filled", empty, fields)
		}
	}
}

func TestAListThatEventsShareIsNotChanged(t *testing.T) {
	shared := []events.RosterTool{{Name: "a"}, {Name: "\xff"}}
	e := &events.Event{Data: &events.ToolRoster{Tools: shared}}
	fit(e)
	if got := e.Data.(*events.ToolRoster).Tools; shared[1].Name != "\xff" || got[1].Name != "\ufffd" || got[0].Name != "a" {
		t.Errorf("%+q became %+q", shared[1].Name, got[1].Name)
	}
}

// sent are the events that were sent, heartbeats left out.
func sent(t *testing.T, l *fakeLink) iter.Seq[*events.Event] {
	t.Helper()
	return func(yield func(*events.Event) bool) {
		for _, m := range l.calls() {
			for _, line := range events.Lines(m.Data) {
				e, err := events.Decode(line)
				if err != nil {
					t.Error(err)
				} else if !yield(e) {
					return
				}
			}
		}
	}
}

func TestARosterOfNamesOfAnyBytesIsToldOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, link := fake(t, func(cfg *Config) {
			cfg.Context = events.Context{AgentName: "a\xff", Team: strings.Repeat("t", 1<<20)}
			*cfg = cfg.completed()
		}, nil)
		long := strings.Repeat("n", 300)
		r := activation.NewRoster(activation.RosterInput{
			Tools: []activation.Tool{
				{Name: long + "1", Server: "s\xff", Definition: []byte(`{"name":"` + long + `1","description":"One."}`)},
				{Name: long + "2", Server: "s\xff", Definition: []byte(`{"name":"` + long + `2","description":"Two."}`)},
			},
			NotConnected: []string{"away\xff", strings.Repeat("w", 1<<20)},
		})
		c.ShowRoster(events.ToolRoster{Release: "v\xff"}, r, activation.TextOptions{})
		c.Roster(events.ToolRoster{Server: "t\xff", Context: events.Context{ConversationID: "other"}}, []byte(`{"name":"`+long+`3","description":"Three."}`))
		closeNow(t, c)
		if dropped := c.Stats().Dropped; len(dropped) != 0 {
			t.Errorf("dropped %v", dropped)
		}
		kinds := map[events.Kind]int{}
		for e := range sent(t, link) {
			kinds[e.Kind()]++
			if d, ok := e.Data.(*events.ToolDefinition); ok {
				digests, err := c.cfg.Digester.Tool(d.Definition)
				if err != nil || digests.Wire != d.WireDigest || d.ToolName != strings.Repeat("n", 256)+"..." {
					t.Errorf("%.20q has another definition's digest, %v", d.ToolName, err)
				}
			}
		}
		if kinds[events.KindToolDefinition] != 3 || kinds[events.KindToolRoster] != 2 {
			t.Errorf("have %v", kinds)
		}
	})
}

func TestFittingAUsualEventAllocatesNothing(t *testing.T) {
	e := &events.Event{Data: &events.ToolCall{
		Context: events.Context{AgentName: "support", ConversationID: "c-1"}, ToolName: "mcp__github__issue_read", ResolvedName: "issue_read",
		Server: "github", ArgumentShape: []events.Argument{{Path: "/id", Type: "string"}}, UnknownArguments: []string{"x"},
	}}
	if n := testing.AllocsPerRun(100, func() { fit(e) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	fit(&events.Event{Data: (*events.ToolCall)(nil)})
	fit(&events.Event{})
}
