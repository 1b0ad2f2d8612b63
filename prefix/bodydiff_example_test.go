package prefix_test

import (
	"fmt"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/prefix"
)

func ExampleDiffBodies() {
	before := []byte(`{"model":"claude-sonnet-4-5","messages":[{"role":"user","content":"Rain today?"}],
		"cache_control":{"type":"ephemeral"},"tools":[{"name":"get_weather","input_schema":{"type":"object"}}]}`)
	after := []byte(`{"model":"claude-sonnet-4-5","messages":[{"role":"user","content":"Rain today?"}],
		"cache_control":{"type":"ephemeral"},"tools":[{"name":"get_weather","input_schema":{"type":"string"}}]}`)
	d, err := prefix.DiffBodies("", before, after)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Verdict(), d.First.Before.Block.Part, d.First.Before.Block.Name, d.First.Before.Offset)
	fmt.Println(d.First.Before.Text)
	fmt.Println(d.First.After.Text)
	fmt.Println(d.BytesAtStake, "bytes, some", d.TokensAtStake, "tokens")
	// Output:
	// tools_changed tools get_weather 177
	// object"}}]}
	// string"}}]}
	// 94 bytes, some 23 tokens
}

func ExampleSplitter() {
	s := prefix.NewSplitter(events.Digester{})
	for _, question := range []string{"Rain today?", "And tomorrow?"} { // the tools are read once
		body := fmt.Appendf(nil, `{"tools":[{"name":"get_weather","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":%q}]}`, question)
		r, err := s.Split("anthropic", body)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(r.Tools[0].Name, r.Tools[0].Digest[:8], r.Messages[0][:8])
	}
	// Output:
	// get_weather 8f5d6211 8461e96b
	// get_weather 8f5d6211 be1acf16
}
