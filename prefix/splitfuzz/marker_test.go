package splitfuzz

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/prefix"
)

// forms are bodies with places for a text or a value (%), and for a marker: @ at the end of an object, ~ at its start, ^ behind a block.
var forms = []struct{ marker, body string }{
	{`"cache_control":{"type":"ephemeral"}`, `{"tools":[{~"name":"a","input_schema":%@}],"system":[{"type":"text","text":%@},{~"type":"text","text":"b"}],"messages":[{"role":"user","content":[{"type":"tool_result","content":[{~"type":"text","text":%}]@},{"x":%@}]}]}`},
	{`"prompt_cache_breakpoint":{"mode":"explicit"}`, `{"model":"gpt","input":[{"role":"system","content":[{"type":"input_text","text":%@}]},{"role":"user","content":[{~"type":"input_text","text":%},{"type":"input_image","image_url":%@}]},{"type":"function_call_output","output":[{"type":"input_text","text":%@}]}],"tools":[{"type":"function","name":"f","parameters":%@}]}`},
	{`"cachePoint":{"type":"default"}`, `{"modelId":"m","system":[{"text":%}^],"messages":[{"role":"user","content":[{"text":%}^,{"toolResult":{"content":[{"json":%}^]}}^]}],"toolConfig":{"tools":[{"toolSpec":{"name":"f","inputSchema":{"json":%}}}^]}}`},
	{`"cache_control":{"type":"ephemeral"}`, `{"messages":[{"role":"system","content":[{"type":"text","text":%@}]},{"role":"user","content":%@}],"tools":[{"type":"function","function":{"name":"f","parameters":%@}@}]}`},
}

func FuzzMarkers(f *testing.F) {
	f.Add(uint8(0), uint8(3), []byte(`"text"`), false)
	f.Add(uint8(1), uint8(0), []byte(`{"cache_control":{}}`), true)
	f.Add(uint8(2), uint8(2), []byte(`[{"cachePoint":{}}]`), false)
	f.Add(uint8(3), uint8(1), []byte(`[{"type":"text","text":"x"}]`), true)
	f.Fuzz(func(t *testing.T, form, slot uint8, value []byte, spaced bool) {
		if !jsontext.Value(value).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
			quoted, err := json.Marshal(string(value))
			if err != nil {
				t.Fatal(err)
			}
			value = quoted
		}
		value = bytes.Trim(value, " \t\r\n") // whether space before a comma goes with it can't be told
		c := forms[int(form)%len(forms)]
		bare, marked := fill(c.body, c.marker, string(value), int(slot), spaced)
		a, errA := prefix.Split("", []byte(bare), events.Digester{})
		b, errB := prefix.Split("", []byte(marked), events.Digester{})
		if errA != nil || errB != nil {
			t.Skip(errA) // too deep
		}
		if len(b.Breakpoints) != len(a.Breakpoints)+1 && bare != marked {
			t.Fatalf("breakpoints %v in %s\nand %v in %s", a.Breakpoints, bare, b.Breakpoints, marked)
		}
		for _, r := range []*prefix.Request{a, b} {
			r.Breakpoints, r.RawTools = nil, nil
		}
		if d := cmp.Diff(a, b); d != "" {
			t.Fatalf("%s\n%s\n%s", d, bare, marked)
		}
	})
}

// fill returns a form without a marker, and with one in one of its slots.
func fill(form, marker, value string, slot int, spaced bool) (bare, marked string) {
	n := strings.Count(form, "@") + strings.Count(form, "~") + strings.Count(form, "^")
	comma := ","
	if spaced {
		comma = " ,\n "
	}
	var out strings.Builder
	at := 0
	put := func(before, after string) {
		if at++; at-1 == slot%n {
			out.WriteString(before + marker + after)
		}
	}
	for _, c := range form {
		switch c {
		case '@':
			put(comma, "")
		case '~':
			put("", comma)
		case '^':
			put(comma+"{", "}")
		case ',':
			out.WriteString(comma)
		case '%':
			out.WriteString(value)
		default:
			out.WriteRune(c)
		}
	}
	bare = strings.NewReplacer("@", "", "~", "", "^", "", ",", comma).Replace(form)
	return strings.ReplaceAll(bare, "%", value), out.String()
}

func FuzzTool(f *testing.F) {
	for _, s := range []string{
		`{"name":"a","input_schema":{}}`, `{"type":"function","function":{"name":"a","cache_control":{}},"cache_control":null}`, `{"toolSpec":{"name":"a"},"systemTool":{"name":"b"}}`,
		`{"systemTool":{"name":"a","cache_control":{}}}`, `{"googleSearch":{}}`, `{"type":"mcp","server_label":"x"}`, `{"n\u0061me":"a","c\u0061che_control":1}`, `{"prompt_cache_breakpoint":{},"name":"x"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		tool, err := events.ParseTool(raw)
		wire, wireErr := events.Digester{}.Wire(raw)
		if err != nil || wireErr != nil || strings.ContainsAny(string(raw[:1]), " \t\r\n") || !isObject(raw) {
			return
		}
		r, err := prefix.Split("", append(append([]byte(`{"tools":[`), raw...), `]}`...), events.Digester{})
		if err != nil || len(r.RawTools) != 1 { // too deep, or a list of tools
			return
		}
		switch {
		case tool.Type == "namespace":
		case tool.Deferred:
			if len(r.Deferred) != 1 || r.Deferred[0] != tool.Name || len(r.Tools) > 0 {
				t.Fatalf("%s: deferred %v, want %s", raw, r.Deferred, tool.Name)
			}
		case len(r.Tools) != 1 || r.Tools[0].Name != tool.Name:
			t.Fatalf("%s: %v, want %s", raw, r.Tools, tool.Name)
		case len(strings.TrimSpace(string(raw))) == len(raw) && r.Tools[0].Digest != events.Shorten(wire):
			t.Fatalf("%s: %v, want %s", raw, r.Tools, wire)
		}
	})
}

func FuzzDiffBodies(f *testing.F) {
	for i, s := range bodies {
		f.Add("", []byte(s), []byte(bodies[(i+1)%len(bodies)]))
		f.Add("openai", []byte(s), []byte(strings.Replace(s, "a", "é", 1)))
	}
	f.Fuzz(func(t *testing.T, provider string, a, b []byte) {
		d, err := prefix.DiffBodies(provider, a, b)
		if err != nil {
			return
		}
		back, err := prefix.DiffBodies(provider, b, a)
		if err != nil || back.CommonBytes != d.CommonBytes || (back.First == nil) != (d.First == nil) || (back.Raw == nil) != (d.Raw == nil) {
			t.Fatalf("%+v and back %+v, %v", d, back, err)
		}
		if d.CommonBytes > min(d.BytesBefore, d.BytesAfter) || d.UsableBytes > d.CommonBytes || d.BytesAtStake < 0 {
			t.Fatalf("%+v", d)
		}
		for _, place := range []*prefix.Difference{d.First, d.Raw} {
			if place != nil && (place.Before.Offset < 0 || place.Before.Offset > len(a) || place.After.Offset < 0 || place.After.Offset > len(b)) {
				t.Fatalf("%+v", place)
			}
		}
		same, err := prefix.DiffBodies(provider, a, a)
		if err != nil || same.First != nil || same.Raw != nil || len(same.Reasons) > 0 || same.BytesAtStake != 0 || same.CommonBytes != same.BytesAfter {
			t.Fatalf("with itself: %+v %v", same, err)
		}
	})
}
