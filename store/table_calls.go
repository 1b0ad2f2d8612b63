package store

import "github.com/tooltrail/tooltrail/events"

type call = events.ToolCall

var toolCalls = newTable("tool_calls", events.KindToolCall,
	text("tool_call_id", func(t *call) string { return t.ToolCallID }),
	text("tool_name", func(t *call) string { return t.ToolName }),
	text("server", func(t *call) string { return t.Server }),
	text("resolved_name", func(t *call) string { return t.ResolvedName }),
	text("bridge", func(t *call) string { return t.Bridge }),
	text("bridged_name", func(t *call) string { return t.BridgedName }),
	text("resolution", func(t *call) string { return string(t.Resolution) }),
	text("resolution_how", func(t *call) string { return t.ResolutionHow }),
	text("schema_version", func(t *call) string { return t.SchemaVersion }),
	text("active_version", func(t *call) string { return t.ActiveVersion }),
	text("used_version", func(t *call) string { return t.UsedVersion }),
	text("drift_class", func(t *call) string { return string(t.DriftClass) }),
	text("outcome", func(t *call) string { return string(t.Outcome) }),
	text("error_type", func(t *call) string { return t.ErrorType }),
	text("execution", func(t *call) string { return t.Execution }),
	texts("validation_errors.path", func(t *call) []string {
		return each(t.ValidationErrors, func(v *events.ValidationError) string { return v.Path })
	}),
	texts("validation_errors.keyword", func(t *call) []string {
		return each(t.ValidationErrors, func(v *events.ValidationError) string { return v.Keyword })
	}),
	texts("validation_errors.message", func(t *call) []string {
		return each(t.ValidationErrors, func(v *events.ValidationError) string { return v.Message })
	}),
	texts("unknown_arguments", func(t *call) []string { return t.UnknownArguments }),
	texts("defaulted_arguments", func(t *call) []string { return t.DefaultedArguments }),
	texts("renamed_arguments", func(t *call) []string { return t.RenamedArguments }),
	text("migration", func(t *call) string { return t.Migration }),
	texts("argument_shape.path", func(t *call) []string {
		return each(t.ArgumentShape, func(a *events.Argument) string { return a.Path })
	}),
	texts("argument_shape.type", func(t *call) []string {
		return each(t.ArgumentShape, func(a *events.Argument) string { return a.Type })
	}),
	text("arguments_digest", func(t *call) string { return t.ArgumentsDigest }),
	text("arguments", func(t *call) string { return string(t.Arguments) }),
	texts("made_up_ids.path", func(t *call) []string {
		return each(t.MadeUpIDs, func(m *events.MadeUpID) string { return m.Path })
	}),
	texts("made_up_ids.digest", func(t *call) []string {
		return each(t.MadeUpIDs, func(m *events.MadeUpID) string { return m.Digest })
	}),
	texts("made_up_ids.value", func(t *call) []string {
		return each(t.MadeUpIDs, func(m *events.MadeUpID) string { return m.Value })
	}),
	number("attempt", func(t *call) int64 { return t.Attempt }),
	real("duration_seconds", func(t *call) float64 { return t.DurationSeconds }),
	count("input_tokens", func(t *call) events.Count { return t.InputTokens }),
	count("output_tokens", func(t *call) events.Count { return t.OutputTokens }),
)

type activation = events.Activation

var activations = newTable("activations", events.KindActivation,
	text("via", func(a *activation) string { return string(a.Via) }),
	texts("asked", func(a *activation) []string { return a.Asked }),
	texts("loaded", func(a *activation) []string { return a.Loaded }),
	texts("refused.name", func(a *activation) []string {
		return each(a.Refused, func(r *events.RefusedTool) string { return r.Name })
	}),
	texts("refused.reason", func(a *activation) []string {
		return each(a.Refused, func(r *events.RefusedTool) string { return string(r.Reason) })
	}),
	text("server", func(a *activation) string { return a.Server }),
	count("input_tokens", func(a *activation) events.Count { return a.InputTokens }),
	count("output_tokens", func(a *activation) events.Count { return a.OutputTokens }),
)

type heartbeat = events.ClientHeartbeat

var clientHeartbeats = newTable("client_heartbeats", events.KindClientHeartbeat,
	text("client_id", func(h *heartbeat) string { return h.ClientID }),
	text("client_version", func(h *heartbeat) string { return h.ClientVersion }),
	number("emitted", func(h *heartbeat) int64 { return h.Emitted }),
	number("acked", func(h *heartbeat) int64 { return h.Acked }),
	texts("dropped.reason", func(h *heartbeat) []string {
		return each(h.Dropped, func(d *events.DropCount) string { return d.Reason })
	}),
	list("dropped.count", "Int64", func(h *heartbeat) []int64 {
		return each(h.Dropped, func(d *events.DropCount) int64 { return d.Count })
	}),
	number("queue_events", func(h *heartbeat) int64 { return h.QueueEvents }),
	number("queue_bytes", func(h *heartbeat) int64 { return h.QueueBytes }),
	number("reconnects", func(h *heartbeat) int64 { return h.Reconnects }),
)
