package capture_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/tooltrail/tooltrail/capture"
	"github.com/tooltrail/tooltrail/events"
)

func ExampleOpenReader() {
	log := `{"conversation":"c1","provider":"anthropic","request":{"model":"claude-sonnet-4-5","messages":[{"role":"user","content":"Rain?"}],` +
		`"tools":[{"name":"get_weather","input_schema":{"type":"object"}}]},"response":{"type":"message","content":[{"type":"tool_use","id":"t1",` +
		`"name":"get_weather","input":{}}],"usage":{"input_tokens":12,"output_tokens":5}}}` + "\nnot an exchange\n"
	r, err := capture.OpenReader("log.jsonl", strings.NewReader(log), int64(len(log)), capture.Options{
		Problem: func(p capture.Problem) { fmt.Println("problem:", p.Error()) },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = r.Close() }()
	sum, err := r.Read(context.Background(), func(e *events.Event) error {
		fmt.Println(e.Kind())
		return nil
	})
	fmt.Println(sum.Format, sum.Lines, "lines", sum.Problems, "problem", err)
	// Output:
	// tool_definition
	// tool_roster
	// request_prefix
	// problem: log.jsonl:2: not a JSON object
	// tool_call
	// exchanges 2 lines 1 problem <nil>
}
