package store

import (
	"time"

	"github.com/tooltrail/tooltrail/events"
)

type request = events.RequestPrefix

var requestPrefixes = newTable("request_prefixes", events.KindRequestPrefix,
	texts("tools.name", func(r *request) []string {
		return each(r.Tools, func(t *events.PrefixTool) string { return t.Name })
	}),
	texts("tools.digest", func(r *request) []string {
		return each(r.Tools, func(t *events.PrefixTool) string { return t.Digest })
	}),
	truth("tools_known", func(r *request) bool { return r.ToolsKnown }),
	texts("system", func(r *request) []string { return r.System }),
	truth("system_known", func(r *request) bool { return r.SystemKnown }),
	texts("messages", func(r *request) []string { return r.Messages }),
	truth("messages_known", func(r *request) bool { return r.MessagesKnown }),
	texts("params.name", func(r *request) []string {
		return each(r.Params, func(p *events.Param) string { return p.Name })
	}),
	texts("params.digest", func(r *request) []string {
		return each(r.Params, func(p *events.Param) string { return p.Digest })
	}),
	texts("breakpoints.part", func(r *request) []string {
		return each(r.Breakpoints, func(b *events.Breakpoint) string { return b.Part })
	}),
	list("breakpoints.index", "Int64", func(r *request) []int64 {
		return each(r.Breakpoints, func(b *events.Breakpoint) int64 { return b.Index })
	}),
	list("breakpoints.ttl_seconds", "Int64", func(r *request) []int64 {
		return each(r.Breakpoints, func(b *events.Breakpoint) int64 { return b.TTLSeconds })
	}),
	text("roster_digest", func(r *request) string { return r.RosterDigest }),
	count("uncached_input_tokens", func(r *request) events.Count { return r.UncachedInputTokens }),
	count("cache_read_input_tokens", func(r *request) events.Count { return r.CacheReadInputTokens }),
	count("cache_write_5m_input_tokens", func(r *request) events.Count { return r.CacheWrite5mInputTokens }),
	count("cache_write_1h_input_tokens", func(r *request) events.Count { return r.CacheWrite1hInputTokens }),
	count("output_tokens", func(r *request) events.Count { return r.OutputTokens }),
	text("provider_diagnosis", func(r *request) string { return r.ProviderDiagnosis }),
	text("status", func(r *request) string { return string(r.Status) }),
	number("http_status", func(r *request) int64 { return r.HTTPStatus }),
	text("error_type", func(r *request) string { return r.ErrorType }),
	text("response_model", func(r *request) string { return r.ResponseModel }),
	text("response_id", func(r *request) string { return r.ResponseID }),
	text("finish_reason", func(r *request) string { return r.FinishReason }),
	moment("start_time", func(r *request) time.Time { return r.StartTime }),
	moment("end_time", func(r *request) time.Time { return r.EndTime }),
	amount("stated_cost_usd", func(r *request) events.Amount { return r.StatedCostUSD }),
)
