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
		{`"id":"01957f3a-1111-7abc-8def-0123456789ab"`, `"id":"SECRET"`, "/id", "not a UUID"},
		{`"id":"01957f3a-1111-7abc-8def-0123456789ab",`, ``, "/id", "missing"},
		{`"source":"/a"`, `"source":""`, "/source", "empty"},
		{`"source":"/a",`, ``, "/source", "missing"},
		{`"specversion":"1.0"`, `"specversion":"SECRET"`, "/specversion", "1.0"},
		{`2026-03-09T`, `SECRET`, "/time", "not an RFC 3339 time"},
		{`2026-03-09T`, `2026-03-09t`, "/time", "with a capital T and Z"},
		{`"2026-`, `"1926-`, "/time", "from 1970 to 2199"},
		{`"dev.tooltrail.tool_call.v1"`, `"SECRET"`, "/type", "dev.tooltrail.tool_call.v1"},
		{`"type":"dev.tooltrail.tool_call.v1",`, ``, "/type", "missing"},
		{`,"data":{"tool_name":"t","outcome":"ok"}`, ``, "/data", "missing"},
		{`"tool_name":"t",`, ``, "/data/tool_name", "missing"},
		{`"outcome":"ok"`, `"outcome":"SECRET"`, "/data/outcome", "execution_error"},
		{`"outcome":"ok"`, `"outcome":7`, "/data/outcome", "execution_error"},
		{`"outcome":"ok"`, `"outcome":"ok","turn":"SECRET"`, "/data/turn", "integer"},
		{`"outcome":"ok"`, `"outcome":"ok","attempt":-31337`, "/data/attempt", "under the minimum of 0"},
		{`"outcome":"ok"`, `"outcome":"ok","input_tokens":-31337`, "/data/input_tokens", "under the minimum of 0"},
		{`"outcome":"ok"`, `"outcome":"ok","server":null`, "/data/server", "string"},
		{`"outcome":"ok"`, `"outcome":"ok","arguments":["SECRET"]`, "/data/arguments", "object"},
		{`"outcome":"ok"`, `"outcome":"ok","arguments_digest":"SECRET"`, "/data/arguments_digest", "not a digest of 32 lower-case hex digits"},
		{`"outcome":"ok"`, `"outcome":"ok","attempt":31337313373133731337`, "/data/attempt", "over the maximum of 4294967295"},
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

// What senders do wrong with lines, whichever way the line came: by HTTP, or on a subject.
func TestALineThatIsNotOneEventIsExplained(t *testing.T) {
	for line, want := range map[string]string{
		"[" + call + "]":              "one event a line, not an array",
		"[":                           "one event a line, not an array",
		"{":                           "one event a line: this JSON is spread over several lines",
		"}":                           "one event a line: this JSON is spread over several lines",
		"},":                          "one event a line: this JSON is spread over several lines",
		"]":                           "one event a line: this JSON is spread over several lines",
		`  "id": "SECRET",`:           "one event a line: this JSON is spread over several lines",
		`"data": {`:                   "one event a line: this JSON is spread over several lines",
		`"SECRET",`:                   "one event a line: this JSON is spread over several lines",
		call + call:                   "more after the event on this line; with curl use --data-binary",
		call + " " + call:             "more after the event on this line; with curl use --data-binary",
		call + ` SECRET`:              "more after the event on this line; with curl use --data-binary",
		call + ",":                    "one event a line, without a comma after it",
		`"SECRET"`:                    "expected object, but got string",
		`31337`:                       "expected object, but got number",
		"null":                        "expected object, but got null",
		"\xef\xbb\xbf" + call:         "not JSON: starts with a byte order mark",
		strings.TrimSuffix(call, "}"): "not JSON: cut short",
		"SECRET":                      "not JSON at byte 0",
		"{}":                          "/type: missing",
		`{"type":null}`:               "/type: expected string, but got null",
		`{"type":31337}`:              "/type: expected string, but got number",
		`{"type":"SECRET"}`:           "/type: not an event type of this version",
	} {
		_, err := events.Decode([]byte(line))
		if err == nil || err.Error() != want {
			t.Errorf("%.60s: have %v, want %s", line, err, want)
		}
		_, err = events.DecodeKind(events.KindToolCall, []byte(line))
		if err == nil || !strings.HasPrefix(want, "/type: ") && err.Error() != want || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("of a known kind: %.60s: have %v, want %s", line, err, want)
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
