package splitfuzz

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/prefix"
)

var bodies = []string{
	`{"model":"m","system":"s","messages":[{"role":"user","content":[{"type":"text","text":"a","cache_control":{"ttl":"1h"}}]}],"tools":[{"name":"a"}]}`,
	`{"contents":[{"parts":[{"text":"a"}]}],"tools":[{"functionDeclarations":[{"name":"f"}],"googleSearch":{}}],"toolConfig":{"functionCallingConfig":{}}}`,
	`{"input":[{"type":"function_call_output","output":[{"text":"x"}]}],"instructions":null,"reasoning":{"effort":"low"},"thinking":{"a":1,"a":2}}`,
	`{"messages":[{"content":[{"cachePoint":{}},{"cachePoint":{}}]}],"toolConfig":{"tools":[{"cachePoint":{}}]}}`,
	`{"messages":[[{"role":"system"}],"x",{"role":"system","content":{"content":[[]]}}],"messages":[],"cache_control":{}}`,
	`{"messages":[{"role":"system","content":"a"},{"role":"user","content":"b"}],"tools":[{"type":"namespace","name":"n","tools":[{"name":"x","defer_loading":true}]}]}`,
	"{\"messages\":[\"\xff\",{\"\\u0063ontent\":[]}]}",
	` { "tools" : [ { "cache_control" : { } , "name" : "a" } , 1 ] , "metadata" : { } , "tools" : null } `,
}

// warm has seen the tools of all that was fuzzed before.
var warm = prefix.NewSplitter(events.Digester{})

func FuzzSplit(f *testing.F) {
	for _, s := range bodies {
		f.Add("", []byte(s))
		f.Add("openai", []byte(s))
	}
	f.Fuzz(func(t *testing.T, provider string, body []byte) {
		before := slices.Clone(body)
		cold, err := prefix.Split(provider, body, events.Digester{})
		if (err == nil) != isObject(body) {
			t.Fatalf("%v, though jsontext says %t", err, isObject(body))
		}
		for range 2 {
			again, againErr := warm.Split(provider, body)
			if err == nil && againErr != nil || err != nil && (againErr == nil || againErr.Error() != err.Error()) {
				t.Fatalf("%v, and with tools seen %v", err, againErr)
			}
			if d := cmp.Diff(cold, again); d != "" {
				t.Fatal(d)
			}
		}
		if !bytes.Equal(before, body) {
			t.Fatal("the body changed")
		}
		if err != nil {
			return
		}
		checkIndexes(t, cold)
		checkBlocks(t, provider, body, cold)
	})
}

// isObject says whether jsontext takes the body, when names may repeat and text need not be UTF-8.
func isObject(body []byte) bool {
	v := jsontext.Value(body)
	return v.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) && v.Kind() == jsontext.KindBeginObject
}

func sizes(r *prefix.Request) map[string]int {
	return map[string]int{"tools": len(r.Tools), "system": len(r.System), "messages": len(r.Messages)}
}

func checkIndexes(t *testing.T, r *prefix.Request) {
	for _, bp := range r.Breakpoints {
		if n := sizes(r)[bp.Part]; bp.Index < 0 || bp.Index > 0 && bp.Index >= int64(n) {
			t.Fatalf("breakpoint %+v outside %d blocks", bp, n)
		}
	}
}

// checkBlocks holds that the blocks give back the body, and that each block of the prefix is there once.
func checkBlocks(t *testing.T, provider string, body []byte, want *prefix.Request) {
	r, err := prefix.SplitBlocks(provider, body, events.Digester{})
	if err != nil {
		t.Fatal(err)
	}
	var whole []byte
	left := sizes(r)
	seen := map[prefix.Block]bool{}
	for _, b := range r.Blocks {
		if b.From != len(whole) || b.To <= b.From {
			t.Fatalf("block %+v begins elsewhere than at %d", b, len(whole))
		}
		whole = append(whole, body[b.From:b.To]...)
		n, ofPrefix := sizes(r)[b.Part]
		key := prefix.Block{Part: b.Part, Index: b.Index}
		if ofPrefix && (b.Index < 0 || b.Index >= n || seen[key]) || !ofPrefix && b.Index != -1 {
			t.Fatalf("block %+v of %d", b, n)
		}
		if ofPrefix {
			seen[key] = true
			left[b.Part]--
		}
		if b.Part == "tools" && b.Name != r.Tools[b.Index].Name {
			t.Fatalf("block %+v is of %s", b, r.Tools[b.Index].Name)
		}
	}
	if !bytes.Equal(whole, body) {
		t.Fatal("the blocks are not the body")
	}
	for part, n := range left {
		if n != 0 {
			t.Fatalf("%d blocks of %s are missing", n, part)
		}
	}
	r.Blocks = nil
	if d := cmp.Diff(want, r); d != "" {
		t.Fatal(d)
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{`a`, `\"`, `\\\"`, `\u00e9`, "\x01", "\xff", `\u12`, `\u10000\u1000"u0000`, strings.Repeat(`if a {\n\t\"b\"\n}`, 9), strings.Repeat(`\\`, 64) + `\"`, strings.Repeat("x", 63) + `\"`, strings.Repeat("x", 62) + `\u00fg`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, before := range []string{``, `{`, strings.Repeat("x", 57)} {
			for _, after := range []string{``, strings.Repeat(" ", 70)} {
				body := slices.Concat([]byte(`{"messages":["`+before), text, []byte(`"]}`+after))
				if _, err := prefix.Split("", body, events.Digester{}); (err == nil) != isObject(body) {
					t.Fatalf("%q: %v", body, err)
				}
			}
		}
	})
}
