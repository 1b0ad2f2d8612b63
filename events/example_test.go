package events_test

import (
	"fmt"
	"time"

	"github.com/tooltrail/tooltrail/events"
)

func Example() {
	line, err := events.AppendEvent(nil, &events.Event{
		ID:     "01957f3a-1111-7abc-8def-0123456789ab",
		Source: "/agents/billing",
		Time:   time.Date(2026, 3, 9, 14, 30, 5, 0, time.UTC),
		Data: &events.ToolCall{
			Context:  events.Context{ConversationID: "conv-7f3a"},
			ToolName: "search_invoices",
			Outcome:  events.OutcomeOK,
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	e, err := events.Decode(line)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(events.Subject(events.Partition(e.Data.Common().ConversationID, 4), e.Kind()))
	fmt.Println(e.Data.(*events.ToolCall).ToolName)
	// Output:
	// tooltrail.v1.3.tool_call
	// search_invoices
}

func ExampleDigester_Tool() {
	var d events.Digester
	then, _ := d.Tool([]byte(`{"name":"search","input_schema":{"type":"object","description":"old words"}}`))
	now, _ := d.Tool([]byte(`{"name":"search","input_schema":{"type":"object","description":"new words"}}`))
	fmt.Println(then.Definition == now.Definition, then.Schema == now.Schema)
	// Output: false true
}
