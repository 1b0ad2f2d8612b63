package events

import "time"

// JudgedCall is what the analyzer made of the name of a call that came without a resolution, as the table judged_calls keeps it: one row a call
// that was in doubt, the one judged last counts. Its columns have the names in the ch tags.
type JudgedCall struct {
	// ID is the id of the call's event.
	ID           string `ch:"id"`
	Conversation string `ch:"conversation_id"`
	// JudgedAt orders the rows of one call. Content is a hash of what was judged, which tells a changed row from the same one.
	JudgedAt time.Time `ch:"judged_at"`
	Content  uint64    `ch:"content"`
	// Time is that of the event, which windows go by; IngestedAt is when the call was stored, which retention goes by.
	Time         time.Time `ch:"time"`
	IngestedAt   time.Time `ch:"ingested_at"`
	Source       string    `ch:"source"`
	AgentName    string    `ch:"agent_name"`
	AgentVersion string    `ch:"agent_version"`
	Environment  string    `ch:"environment"`
	Team         string    `ch:"team"`
	ProviderName string    `ch:"provider_name"`
	RequestModel string    `ch:"request_model"`
	ToolName     string    `ch:"tool_name"`
	// Server, ResolvedName, Bridge, BridgedName, Resolution and ResolutionHow are as in [ToolCall]. The resolution is empty for a call that was judged and
	// is not any more: its event came again with a resolution, or what it was judged by turned out to be in force no more.
	Server        string `ch:"server"`
	ResolvedName  string `ch:"resolved_name"`
	Bridge        string `ch:"bridge"`
	BridgedName   string `ch:"bridged_name"`
	Resolution    string `ch:"resolution"`
	ResolutionHow string `ch:"resolution_how"`
	// InputTokens and OutputTokens are nil where they were not reported.
	InputTokens  *uint64 `ch:"input_tokens"`
	OutputTokens *uint64 `ch:"output_tokens"`
}

// LookedUpCall says of a stored call that came without a resolution whether its name was looked up in a roster since.
type LookedUpCall struct {
	// Lane, Seq and Pos are where the call came from.
	Lane string `ch:"lane"`
	Seq  uint64 `ch:"seq"`
	Pos  uint32 `ch:"pos"`
	// JudgedAt orders the rows of one call.
	JudgedAt   time.Time `ch:"judged_at"`
	Time       time.Time `ch:"time"`
	IngestedAt time.Time `ch:"ingested_at"`
	// AgentName, Environment and Team are those of the call, by which it is found.
	AgentName   string `ch:"agent_name"`
	Environment string `ch:"environment"`
	Team        string `ch:"team"`
	// Known says that a roster was in force.
	Known bool `ch:"known"`
}
