package prefix

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
)

func TestBlocksSayWhatLiesWhere(t *testing.T) {
	for name, c := range map[string]struct{ provider, body, want string }{
		"leading system messages are system blocks": {"openai",
			`{"model":"m","messages":[{"role":"system","content":"a"}, {"role":"user","content":"b"}],"tools":[{"type":"function","function":{"name":"f"}}],"reasoning_effort":"low"}`, `
other -1  {
other -1 model "model":"m"
other -1  ,
other -1 messages "messages":[
system 0  {"role":"system","content":"a"}
other -1 messages , 
messages 0  {"role":"user","content":"b"}
other -1 messages ]
other -1  ,
other -1 tools "tools":[
tools 0 f {"type":"function","function":{"name":"f"}}
other -1 tools ]
other -1  ,
params -1 reasoning_effort "reasoning_effort":"low"
other -1  }`},
		"deferred tools, markers and what is there twice are other": {"anthropic",
			`{"system":"old","system":[{"type":"text","text":"s","cache_control":{}}],"tools":[{"name":"a"},{"name":"b","defer_loading":true}],"speed":"fast"} `, `
other -1  {
other -1 system "system":"old"
other -1  ,
other -1 system "system":[
system 0  {"type":"text","text":"s","cache_control":{}}
other -1 system ]
other -1  ,
other -1 tools "tools":[
tools 0 a {"name":"a"}
other -1 tools ,
other -1 b {"name":"b","defer_loading":true}
other -1 tools ]
other -1  ,
params -1 speed "speed":"fast"
other -1  } `},
		"lists in objects": {"google",
			`{"systemInstruction":{"parts":[{"text":"s"}]},"tools":[{"functionDeclarations":[{"name":"f"}],"googleSearch":{}}],"generationConfig":{"thinkingConfig":{},"topK":1}}`, `
other -1  {
other -1 systemInstruction "systemInstruction":{"parts":[
system 0  {"text":"s"}
other -1 systemInstruction ]}
other -1  ,
other -1 tools "tools":[{"functionDeclarations":[
tools 0 f {"name":"f"}
other -1 tools ],"googleSearch":
tools 1 googleSearch {}
other -1 tools }]
other -1  ,
other -1 generationConfig "generationConfig":{
params -1 generationConfig.thinkingConfig "thinkingConfig":{}
other -1 generationConfig ,"topK":1}
other -1  }`},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := SplitBlocks(c.provider, []byte(c.body), events.Digester{})
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for _, b := range r.Blocks {
				fmt.Fprintf(&got, "\n%s %d %s %s", b.Part, b.Index, b.Name, c.body[b.From:b.To])
			}
			if d := cmp.Diff(c.want, got.String()); d != "" {
				t.Error(d)
			}
		})
	}
}
