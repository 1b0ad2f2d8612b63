package events

import "time"

// RequestStatus is how an LLM request ended.
type RequestStatus string

// The statuses of a request.
const (
	StatusOK      RequestStatus = "ok"
	StatusAborted RequestStatus = "aborted"
	StatusError   RequestStatus = "error"
)

// RequestPrefix says one LLM request: digests of its parts in the provider's order, and what it used. A digest list is a
// digest a block; a *Known flag tells an empty list from one nobody saw.
type RequestPrefix struct {
	Context `json:",inline"`
	// Tools are the tools that are part of the prefix, in the order sent; deferred ones are not among them.
	Tools      []PrefixTool `json:"tools,omitzero"`
	ToolsKnown bool         `json:"tools_known,omitzero"`
	// System has a short digest a system block.
	System      []string `json:"system,omitzero"`
	SystemKnown bool     `json:"system_known,omitzero"`
	// Messages has a short digest a message. In a list too long for an event, the first entry may stand for the oldest N
	// messages: chain:N:DIGEST.
	Messages      []string `json:"messages,omitzero"`
	MessagesKnown bool     `json:"messages_known,omitzero"`
	// Params are the parameters that can invalidate a cache (tool choice, thinking, ...), by name, sorted.
	Params []Param `json:"params,omitzero"`
	// Breakpoints are the cache markers, in order.
	Breakpoints []Breakpoint `json:"breakpoints,omitzero"`
	// RosterDigest names the tool_roster in force, where one was sent.
	RosterDigest string `json:"roster_digest,omitzero"`

	// Usage in one normal form: the three inputs do not overlap. Not known is not zero.
	UncachedInputTokens     Count `json:"uncached_input_tokens,omitzero"`
	CacheReadInputTokens    Count `json:"cache_read_input_tokens,omitzero"`
	CacheWrite5mInputTokens Count `json:"cache_write_5m_input_tokens,omitzero"`
	CacheWrite1hInputTokens Count `json:"cache_write_1h_input_tokens,omitzero"`
	OutputTokens            Count `json:"output_tokens,omitzero"`

	// ProviderDiagnosis is the provider's own reason for a cache miss, in its words.
	ProviderDiagnosis string        `json:"provider_diagnosis,omitzero"`
	Status            RequestStatus `json:"status"`
	HTTPStatus        int64         `json:"http_status,omitzero"`
	ErrorType         string        `json:"error_type,omitzero"`
	ResponseModel     string        `json:"response_model,omitzero"`
	ResponseID        string        `json:"response_id,omitzero"`
	FinishReason      string        `json:"finish_reason,omitzero"`
	StartTime         time.Time     `json:"start_time"`
	// EndTime is when the last byte of the answer came; the zero time is not known.
	EndTime time.Time `json:"end_time,omitzero"`
	// StatedCostUSD is what the source itself says the request cost, in US dollars.
	StatedCostUSD Amount `json:"stated_cost_usd,omitzero"`
}

// PrefixTool is one tool of a prefix.
type PrefixTool struct {
	Name string `json:"name"`
	// Digest is the short wire digest.
	Digest string `json:"digest"`
}

// Param is one parameter of a request.
type Param struct {
	Name string `json:"name"`
	// Digest is the short digest of its canonical value.
	Digest string `json:"digest"`
}

// Breakpoint is one cache marker.
type Breakpoint struct {
	// Part is tools, system or messages.
	Part string `json:"part"`
	// Index is the block's index in its part, from 0.
	Index int64 `json:"index"`
	// TTLSeconds is how long what it marks is kept; 300 or 3600 at Anthropic.
	TTLSeconds int64 `json:"ttl_seconds,omitzero"`
}
