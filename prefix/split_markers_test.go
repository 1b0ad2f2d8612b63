package prefix

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
)

// slotted are bodies of each provider with all the places where a marker may stand: @ for a member at the end of an object, ~ for one at the
// start, ^ for a block of its own behind another.
var slotted = map[string]struct{ provider, marker, body string }{
	"anthropic": {"anthropic", `"cache_control":{"type":"ephemeral","ttl":"1h"}`, `{"model":"claude-a",
		"tools":[{~"name":"a","input_schema":{"type":"object"}@},{"type":"web_search_20250305","name":"web_search"@}],
		"system":[{"type":"text","text":"be kind"@},{~"type":"text","text":"be brief"}],
		"messages":[{"role":"user","content":[{"type":"text","text":"look"@},{~"type":"image","source":{"type":"base64","data":"eA=="}@}]},
		{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"a","input":{"cache_control":1}@}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"x"@},{"type":"image","source":{}@}]@},
		{"type":"document","source":{"type":"content","content":[{"type":"text","text":"d"@},{"type":"text","text":"e"}]},"citations":{"enabled":true}@}]},
		{"role":"user","content":[{~"type":"text","text":"alone"@}]}]}`},
	"openai chat": {"openai", `"prompt_cache_breakpoint":{"mode":"explicit"}`, `{"model":"gpt-a","tools":[{"type":"function","function":{"name":"f","parameters":{}@}@}],
		"messages":[{"role":"system","content":[{"type":"text","text":"s"@},{"type":"text","text":"t"@}]},
		{"role":"user","content":[{"type":"image_url","image_url":{"url":"u"}@},{~"type":"text","text":"b"}]},{"role":"tool","tool_call_id":"c","content":[{"type":"text","text":"r"@}]}]}`},
	"openai responses": {"openai", `"prompt_cache_breakpoint":{"mode":"explicit"}`, `{"model":"gpt-a","instructions":"i","tools":[{~"type":"function","name":"f","parameters":{}@},
		{"type":"namespace","name":"n","tools":[{"type":"function","name":"g"@},{"type":"function","name":"h","defer_loading":true}]@}],
		"input":[{"role":"developer","content":[{"type":"input_text","text":"d"@}]},{"role":"user","content":[{~"type":"input_text","text":"a"},{"type":"input_image","image_url":"u"@}]},
		{"type":"function_call_output","call_id":"c","output":[{"type":"input_text","text":"o"@},{"type":"input_text","text":"p"@}]}]}`},
	"openrouter": {"openrouter", `"cache_control":{"type":"ephemeral"}`, `{"model":"anthropic/claude-a","tools":[{"type":"function","function":{"name":"f"@}@}],
		"messages":[{"role":"system","content":[{"type":"text","text":"s"@}]},{"role":"user","content":[{"type":"text","text":"a"@},{"type":"text","text":"b"@}]}]}`},
	"deepseek": {"deepseek", `"cache_control":{}`, `{"messages":[{"role":"user","content":[{"type":"text","text":"a"@},{"type":"text","text":"b"}]}]}`},
	"mistral":  {"mistral", `"cache_control":{}`, `{"messages":[{"role":"system","content":"s"@},{"role":"user","content":"b"@}]}`},
	"bedrock": {"bedrock", `"cachePoint":{"type":"default"}`, `{"modelId":"m","toolConfig":{"tools":[{"toolSpec":{"name":"f","inputSchema":{"json":{}}}}^,{"systemTool":{"name":"nova"}}^]},
		"system":[{"text":"s"}^,{"text":"t"}^],"messages":[{"role":"user","content":[{"text":"a"}^,{"image":{"format":"png"}}^]},
		{"role":"user","content":[{"toolResult":{"toolUseId":"t","content":[{"text":"x"}^,{"json":{"content":[{"cachePoint":{}}]}}]}}^]}]}`},
	"gemini": {"google", `"cache_control":{}`, `{"systemInstruction":{"parts":[{"text":"s"},{"text":"t"@}]},"tools":[{"functionDeclarations":[{"name":"f"@},{~"name":"g"}]},{"googleSearch":{}}],
		"contents":[{"role":"user","parts":[{"text":"a"@},{"text":"b"}]}]}`},
}

// mark fills the n-th slot of a body with a marker, none for -1, and empties the others. It also returns how many there are.
func mark(body, marker string, n int) (string, int) {
	var out strings.Builder
	slots := 0
	for _, c := range body {
		form, slot := map[rune]string{'@': ",%s", '~': "%s,", '^': ",{%s}"}[c]
		switch {
		case !slot:
			out.WriteRune(c)
		case slots == n:
			fmt.Fprintf(&out, form, marker)
		}
		if slot {
			slots++
		}
	}
	return out.String(), slots
}

func TestAMarkerThatMovesChangesNoDigest(t *testing.T) {
	for name, c := range slotted {
		t.Run(name, func(t *testing.T) {
			for _, spaced := range []bool{false, true} {
				c := c
				if spaced {
					c.body, c.marker = strings.NewReplacer(",", ",\n  ", "{", "{ ", "}", " }").Replace(c.body), strings.ReplaceAll(c.marker, ":", ": ")
				}
				bare, slots := mark(c.body, c.marker, -1)
				plain := mustSplit(t, c.provider, bare)
				if slots == 0 || len(plain.Breakpoints) > 0 {
					t.Fatalf("%d slots, %+v", slots, plain.Breakpoints)
				}
				for n := range slots {
					body, _ := mark(c.body, c.marker, n)
					marked := mustSplit(t, c.provider, body)
					if len(marked.Breakpoints) != 1 {
						t.Errorf("slot %d: breakpoints %+v in %s", n, marked.Breakpoints, body)
					}
					marked.Breakpoints, marked.RawTools, plain.RawTools = nil, nil, nil
					if d := cmp.Diff(plain, marked); d != "" {
						t.Errorf("slot %d: %s\n%s", n, d, body)
					}
				}
			}
		})
	}
}

func TestToolsThatAreElsewhereAreNotInThePrefix(t *testing.T) {
	for name, c := range map[string]struct {
		provider, a, b string
		deferred       []string // in b
	}{
		"a deferred tool": {"anthropic", `{"tools":[{"name":"a"}]}`, `{"tools":[{"name":"a"},{"name":"b","defer_loading":true}]}`, []string{"b"}},
		"deferred chat tool": {"openai", `{"messages":[],"tools":[{"type":"function","function":{"name":"a"}}]}`,
			`{"messages":[],"tools":[{"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"b","defer_loading":true}}]}`, []string{"b"}},
		"a deferred tool that changes": {"anthropic", `{"tools":[{"name":"a"},{"name":"b","defer_loading":true}]}`, `{"tools":[{"name":"a"},{"name":"b","description":"x","defer_loading":true}]}`, []string{"b"}},
		"references and the like": {"anthropic", `{"tools":[{"name":"a"}]}`,
			`{"tools":[{"type":"tool_reference","tool_name":"x"},{"name":"a"},{"type":"tool_addition","tool":{"name":"y"}},{"type":"tool_removal","name":"z"}]}`, nil},
		"deferred ones of a namespace": {"openai", `{"input":[],"tools":[{"type":"namespace","name":"n","tools":[{"name":"b"}]}]}`,
			`{"input":[],"tools":[{"type":"namespace","name":"n","tools":[{"name":"a","defer_loading":true},{"name":"b"},{"name":"c","defer_loading":true}]}]}`, []string{"a", "c"}},
	} {
		a, b := mustSplit(t, c.provider, c.a), mustSplit(t, c.provider, c.b)
		if !slices.Equal(a.Tools, b.Tools) || !slices.Equal(b.Deferred, c.deferred) {
			t.Errorf("%s: %v and %v, deferred %v", name, a.Tools, b.Tools, b.Deferred)
		}
	}
	in := mustSplit(t, "anthropic", `{"messages":[{"role":"user","content":[{"type":"tool_reference","tool_name":"x"},{"type":"tool_addition","tool":{"name":"y"}},{"type":"tool_removal","name":"z"}]}]}`)
	if len(in.Tools)+len(in.RawTools)+len(in.Deferred) > 0 || len(in.Messages) != 1 {
		t.Errorf("tools of a message: %+v", in)
	}
}

func TestHostileShapesAreTakenAsTheyStand(t *testing.T) {
	for name, c := range map[string]struct {
		body                    string
		tools, system, messages int
		breakpoints             int
	}{
		"markers as strings":         {`{"system":[{"type":"text","text":"s","cache_control":"ephemeral"},{"cachePoint":"x"}],"messages":[{"role":"user","content":[{"cachePoint":1}]}],"tools":[{"cachePoint":[]}]}`, 1, 2, 1, 0},
		"a marker beside a tool":     {`{"toolConfig":{"tools":[{"toolSpec":{"name":"a"},"cachePoint":{}}]}}`, 1, 0, 0, 1},
		"members twice":              {`{"messages":[{"role":"user"},{"role":"user"}],"tools":[{"name":"a"}],"messages":[{"role":"user"}],"tools":[{"name":"b","name":"c"},{"name":"d"}]}`, 2, 0, 1, 0},
		"markers twice":              {`{"messages":[{"cache_control":{},"cache_control":{},"role":"user","content":[]}]}`, 0, 0, 1, 2},
		"names spelt with escapes":   {`{"m\u0065ssages":[{"role":"user","content":[{"\u0074ype":"text","text":"a","cache\u005fcontrol":{}}]}]}`, 0, 0, 1, 1},
		"lists in lists":             {`{"messages":[[{"role":"user"}],"x",7,null,{"content":[[{"cache_control":{}}]]}],"tools":[[],1,"x",null,{}],"system":[[],null]}`, 5, 2, 5, 0},
		"namespaces in namespaces":   {`{"tools":[{"type":"namespace","name":"n","tools":[{"type":"namespace","name":"m","tools":[{"name":"x","defer_loading":true}]}]}]}`, 1, 0, 0, 0},
		"declarations and others":    {`{"contents":[],"tools":[{"functionDeclarations":[{"name":"f"},7],"googleSearch":{},"codeExecution":{}}]}`, 4, 0, 0, 0},
		"nothing where lists belong": {`{"messages":null,"tools":{},"system":null,"toolConfig":[],"cache_control":[]}`, 0, 0, 0, 0},
	} {
		r := mustSplit(t, "", c.body)
		if len(r.Tools) != c.tools || len(r.System) != c.system || len(r.Messages) != c.messages || len(r.Breakpoints) != c.breakpoints {
			t.Errorf("%s: %+v", name, r)
		}
	}
	deep := `{"messages":[{"role":"user","content":` + strings.Repeat(`[{"content":`, maxDepth/2-2) + `1` + strings.Repeat(`}]`, maxDepth/2-2) + `}]}`
	if r := mustSplit(t, "", deep); len(r.Messages) != 1 {
		t.Errorf("deep: %+v", r.Messages)
	}
	deeper := strings.Replace(strings.Replace(deep, "1", "[[1]]", 1), "1", "1", 1)
	if _, err := Split("", []byte(deeper), events.Digester{}); err == nil || !strings.Contains(err.Error(), "10000 levels") {
		t.Errorf("deeper: %v", err)
	}
}

func TestWhatCountsAsAParameterWithoutBeingAMember(t *testing.T) {
	for body, want := range map[string]string{
		`{"messages":[{"role":"user","content":[{"type":"tool_result","content":[{"type":"image","source":{}}]}]}]}`:                "images",
		`{"messages":[{"role":"user","content":[{"type":"document","source":{},"citations":{"enabled":true}}]}]}`:                   "citations",
		`{"messages":[{"role":"user","content":[{"type":"document","source":{},"citations":{"enabled":false}}]}]}`:                  "",
		`{"messages":[{"role":"assistant","content":[{"type":"text","text":"a","citations":[{"type":"page_location"}]}]}]}`:         "",
		`{"messages":[{"role":"assistant","content":[{"type":"tool_use","input":{"type":"image","citations":{"enabled":true}}}]}]}`: "",
		`{"messages":[],"tools":[{"type":"web_search_20250305","name":"web_search"}]}`:                                              "web_search",
		`{"messages":[],"tools":[{"type":"custom","name":"web_search","input_schema":{"type":"web_search_20250305"}}]}`:             "",
		`{"messages":[],"tools":[{"type":"web_search_20250305"}],"tools":[]}`:                                                       "",
		`{"messages":[],"thinking":{"type":"enabled"},"thinking":null}`:                                                             "",
	} {
		var got []string
		for _, p := range mustSplit(t, "anthropic", body).Params {
			got = append(got, p.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %q", body, got, want)
		}
	}
}
