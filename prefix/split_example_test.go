package prefix_test

import (
	"fmt"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/prefix"
)

func ExampleSplit() {
	body := []byte(`{
		"model": "claude-sonnet-4-5",
		"system": "You help with the weather.",
		"tools": [{"name": "get_weather", "input_schema": {"type": "object"}},
		          {"name": "get_tides", "input_schema": {"type": "object"}, "defer_loading": true}],
		"messages": [{"role": "user", "content": [
			{"type": "text", "text": "Rain today?", "cache_control": {"type": "ephemeral"}}]}]
	}`)
	r, err := prefix.Split("", body, events.Digester{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Provider, r.API, r.Model)
	fmt.Println(r.Tools[0].Name, r.Deferred, len(r.System), len(r.Messages))
	fmt.Printf("%+v\n", r.Breakpoints)
	// Output:
	// anthropic messages claude-sonnet-4-5
	// get_weather [get_tides] 1 1
	// [{Part:messages Index:0 TTLSeconds:300}]
}
