package prefix

import "slices"

// Verdict is what became of the prompt cache at one request.
type Verdict string

// The verdicts in the order in which they are tried; the first that applies is a request's verdict.
const (
	// NoUsage is a request that was aborted or failed and used nothing.
	NoUsage Verdict = "no_usage"
	// ColdStart is a request that continues none before it.
	ColdStart Verdict = "cold_start"
	// ConcurrentColdStart is a request that began before the first answer to the same prompt was there.
	ConcurrentColdStart Verdict = "concurrent_cold_start"
	// BelowMinimum is a prompt too short for its model's cache.
	BelowMinimum Verdict = "below_minimum"
	// OK is a request that read what was to be expected.
	OK Verdict = "ok"
	// ModelChanged is a break with another model or provider than the predecessor's.
	ModelChanged Verdict = "model_changed"
	// ToolsChanged is a break with other tools in the prefix; see [ToolChange].
	ToolsChanged Verdict = "tools_changed"
	// SystemChanged is a break with another system block.
	SystemChanged Verdict = "system_changed"
	// ParamsChanged is a break with another value of a parameter that is part of the cache's key.
	ParamsChanged Verdict = "params_changed"
	// Compaction is a break where the history was replaced by a shorter one.
	Compaction Verdict = "compaction"
	// MessagesChanged is a break where the history was rewritten.
	MessagesChanged Verdict = "messages_changed"
	// BreakpointsChanged is a break where a cache marker moved back, was lost, or stands beyond the provider's lookback.
	BreakpointsChanged Verdict = "breakpoints_changed"
	// TTLExpired is a break after a gap longer than the cache lives.
	TTLExpired Verdict = "ttl_expired"
	// Unattributed is a break with none of the reasons above: the provider dropped the cache.
	Unattributed Verdict = "unattributed"
)

// Verdicts lists all verdicts in order.
func Verdicts() []Verdict {
	return []Verdict{
		NoUsage, ColdStart, ConcurrentColdStart, BelowMinimum, OK, ModelChanged, ToolsChanged, SystemChanged,
		ParamsChanged, Compaction, MessagesChanged, BreakpointsChanged, TTLExpired, Unattributed,
	}
}

// Break reports whether v says that the cache broke.
func (v Verdict) Break() bool {
	all := Verdicts()
	return slices.Index(all, v) > slices.Index(all, OK)
}

// ofContent reports whether v is a change of what was sent, as against time and the provider.
func (v Verdict) ofContent() bool {
	switch v {
	case ModelChanged, ToolsChanged, SystemChanged, ParamsChanged, Compaction, MessagesChanged, BreakpointsChanged:
		return true
	}
	return false
}
