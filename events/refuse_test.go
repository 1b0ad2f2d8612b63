package events_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tooltrail/tooltrail/events"
)

const call = `{"specversion":"1.0","id":"01957f3a-1111-7abc-8def-0123456789ab","source":"/a","type":"dev.tooltrail.tool_call.v1",` +
	`"time":"2026-03-09T14:30:05Z","data":{"tool_name":"t","outcome":"ok"}}`

func TestARefusedEventNamesThePathAndQuotesNothing(t *testing.T) {
	for _, c := range []struct{ old, new, path, reason string }{
		{`"id":"01957f3a-1111-7abc-8def-0123456789ab"`, `"id":"SECRET"`, "/id", "format"},
		{`"id":"01957f3a-1111-7abc-8def-0123456789ab",`, ``, "/id", "missing"},
		{`"source":"/a"`, `"source":""`, "/source", "empty"},
		{`"source":"/a",`, ``, "/source", "missing"},
		{`"specversion":"1.0"`, `"specversion":"SECRET"`, "/specversion", "1.0"},
		{`2026-03-09T`, `SECRET`, "/time", ""},
		{`,"data":{"tool_name":"t","outcome":"ok"}`, ``, "/data", "missing"},
		{`"tool_name":"t",`, ``, "/data/tool_name", "missing"},
		{`"outcome":"ok"`, `"outcome":"SECRET"`, "/data/outcome", "execution_error"},
		{`"outcome":"ok"`, `"outcome":7`, "/data/outcome", "execution_error"},
		{`"outcome":"ok"`, `"outcome":"ok","turn":"SECRET"`, "/data/turn", "integer"},
		{`"outcome":"ok"`, `"outcome":"ok","attempt":-31337`, "/data/attempt", "minimum"},
		{`"outcome":"ok"`, `"outcome":"ok","input_tokens":-31337`, "/data/input_tokens", "minimum"},
		{`"outcome":"ok"`, `"outcome":"ok","server":null`, "/data/server", "string"},
		{`"outcome":"ok"`, `"outcome":"ok","arguments":["SECRET"]`, "/data/arguments", "object"},
		{`"outcome":"ok"`, `"outcome":"ok","arguments_digest":"SECRET"`, "/data/arguments_digest", "pattern"},
		{`"outcome":"ok"`, `"outcome":"ok","validation_errors":[{"keyword":"type"},{"path":"SECRET"}]`, "/data/validation_errors/1/keyword", "missing"},
		{`"outcome":"ok"`, `"outcome":"ok","outcome":"SECRET"`, "", "twice"},
		{`"outcome":"ok"`, "\"outcome\":\"\xff\"", "", "not JSON"},
		{`"outcome":"ok"`, "\"outcome\":", "", "not JSON"},
		{`}}`, `}`, "", "cut short"},
	} {
		line := strings.Replace(call, c.old, c.new, 1)
		_, err := events.DecodeKind(events.KindToolCall, []byte(line))
		var e *events.Error
		switch {
		case !errors.As(err, &e):
			t.Errorf("%s: have %v", c.new, err)
		case e.Path != c.path && c.path != "" || !strings.Contains(e.Reason, c.reason):
			t.Errorf("%s: have %q %q, want %q %q", c.new, e.Path, e.Reason, c.path, c.reason)
		case strings.Contains(err.Error(), "SECRET") || strings.Contains(err.Error(), "31337"):
			t.Errorf("%s: quotes the value: %v", c.new, err)
		}
	}
}

func TestUnknownFieldsOfTheFutureAreIgnored(t *testing.T) {
	line := strings.Replace(call, `"outcome":"ok"`, `"outcome":"ok","a_new_field":{"deep":[1,null]},"Outcome":3`, 1)
	line = strings.Replace(line, `{`, `{"dataschema":"x","anextension":true,`, 1)
	e, err := events.Decode([]byte(line))
	if err != nil || e.Data.(*events.ToolCall).Outcome != events.OutcomeOK {
		t.Errorf("have %+v, %v", e, err)
	}
}

func TestAWholeNumberMayBeWrittenWithAFraction(t *testing.T) {
	line := strings.Replace(call, `"outcome":"ok"`, `"outcome":"ok","turn":4.0,"input_tokens":12e2,"arguments":{"z":1.0, "a":null}`, 1)
	e, err := events.Decode([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	c := e.Data.(*events.ToolCall)
	if c.Turn != 4 || c.InputTokens != events.Tokens(1200) {
		t.Errorf("have turn %d and %v tokens", c.Turn, c.InputTokens)
	}
	if string(c.Arguments) != `{"z":1.0, "a":null}` {
		t.Errorf("arguments are not as they were sent: %s", c.Arguments)
	}
}

func TestAnotherKindOrVersionIsRefused(t *testing.T) {
	for _, typ := range []string{"dev.tooltrail.tool_call.v2", "dev.tooltrail.other.v1", "tool_call", ""} {
		line := []byte(strings.Replace(call, "dev.tooltrail.tool_call.v1", typ, 1))
		var e *events.Error
		if _, err := events.Decode(line); !errors.As(err, &e) || e.Path != "/type" {
			t.Errorf("%q: have %v", typ, err)
		}
	}
	if _, err := events.DecodeKind(events.KindActivation, []byte(call)); err == nil {
		t.Error("a tool call passed for an activation")
	}
	if _, err := events.DecodeKind("other", []byte(call)); err == nil {
		t.Error("want an error for an unknown kind")
	}
}

func TestAnEventOverTheLimitIsRefusedBothWays(t *testing.T) {
	e := sampleCall()
	e.Data.(*events.ToolCall).ErrorType = strings.Repeat("x", events.MaxEventBytes)
	have, err := events.AppendEvent([]byte("before"), e)
	if !errors.Is(err, events.ErrTooLarge) || string(have) != "before" {
		t.Errorf("encode: have %d bytes, %v", len(have), err)
	}
	line := []byte(strings.Replace(call, `"ok"`, `"ok","error_type":"`+strings.Repeat("x", events.MaxEventBytes)+`"`, 1))
	if _, err := events.Decode(line); !errors.Is(err, events.ErrTooLarge) {
		t.Errorf("decode: have %v", err)
	}
}

func TestATypeInsideTheDataIsNotTheEventsType(t *testing.T) {
	line := strings.Replace(call, `"type":"dev`, `"type": "dev`, 1)
	line = strings.Replace(line, `"outcome":"ok"`, `"outcome":"ok","arguments":{"type":"dev.tooltrail.activation.v1"}`, 1)
	if e, err := events.Decode([]byte(line)); err != nil || e.Kind() != events.KindToolCall {
		t.Errorf("have %v, %v", e, err)
	}
}

func TestWhatCannotBeEncodedLeavesTheBufferAlone(t *testing.T) {
	for name, e := range map[string]*events.Event{
		"no data":       {ID: "x"},
		"invalid UTF-8": sample(&events.ToolCall{ToolName: "\xff"}),
		"bad raw JSON":  sample(&events.ToolCall{Arguments: []byte(`{"a"`)}),
	} {
		if have, err := events.AppendEvent([]byte("before"), e); err == nil || string(have) != "before" {
			t.Errorf("%s: have %q, %v", name, have, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(call))
	for _, e := range samples() {
		line, err := events.AppendEvent(nil, e)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(line)
	}
	schemas := oracle(f)
	f.Fuzz(func(t *testing.T, line []byte) {
		for _, k := range events.Kinds() {
			e, err := events.DecodeKind(k, line)
			if want := schemaTakes(schemas[k], line); (err == nil) != (want == nil) {
				t.Fatalf("decoder says %v, schema says %v", err, want)
			}
			if err != nil || e.Time.Year() != e.Time.UTC().Year() { // an offset at the first or last year's edge
				continue
			}
			again, err := events.AppendEvent(nil, e)
			if err != nil {
				t.Fatalf("encode what was decoded: %v", err)
			}
			if _, err := events.DecodeKind(k, again); err != nil {
				t.Fatalf("decode what was encoded: %v\n%s", err, again)
			}
		}
	})
}
