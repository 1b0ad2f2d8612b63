package panels

func conversationView() View {
	return read(View{
		ID: Conversation, Title: "Conversation", Question: "What happened in this conversation, in order?", Variables: byName("conversation"),
		Panels: []Panel{
			{
				ID: "conversation_timeline", Title: "Timeline", Kind: Table, Width: 12, Height: 16,
				Description: "Requests, calls, activations and breaks in order.", Empty: "Choose a conversation.",
				Columns: []Column{
					{Name: "time", Title: "Time", Unit: Time},
					{Name: "what", Title: "What"},
					{Name: "name", Title: "Name", Link: &Link{View: Drift, Title: "Drift of this tool", Set: map[string]string{"tool": "name"}}},
					{Name: "outcome", Title: "Outcome"},
					{Name: "detail", Title: "Detail"},
					{Name: "tokens", Title: "Tokens", Unit: Tokens},
				},
			},
		},
	})
}
