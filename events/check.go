package events

// The checks of each kind: what its JSON Schema says, by hand. TestDecoderAndSchemasAgree holds the two together.

// Valid reports whether o is one of the outcomes.
func (o Outcome) Valid() bool {
	switch o {
	case OutcomeOK, OutcomeExecutionError, OutcomeValidationError, OutcomeRefused:
		return true
	}
	return false
}

// Valid reports whether c is one of the classes or empty.
func (c DriftClass) Valid() bool {
	switch c {
	case "", DriftCurrent, DriftOldVersion, DriftSilentDefault, DriftUnknownArgument, DriftValidationError, DriftUnregistered:
		return true
	}
	return false
}

// Valid reports whether r is one of the resolutions or empty.
func (r Resolution) Valid() bool {
	switch r {
	case "", ResolvedOK, ResolvedNotActivated, ResolvedRenamed, ResolvedNotConnected, ResolvedNotPermitted, ResolvedConnectorName,
		ResolvedPrefixRepair, ResolvedGuessed, ResolvedUnknown:
		return true
	}
	return false
}

// Valid reports whether r is one of the reasons for refusing a tool.
func (r RefusalReason) Valid() bool {
	switch r {
	case RefusedUnknown, RefusedNotPermitted, RefusedPolicy, RefusedClientCapability, RefusedAlreadyLoaded, RefusedConnectorName,
		RefusedNotConnected:
		return true
	}
	return false
}

// Valid reports whether v is one of what can ask for tools.
func (v ActivationVia) Valid() bool {
	switch v {
	case ViaActivationTool, ViaToolSearch, ViaMention, ViaRestore, ViaToolAddition:
		return true
	}
	return false
}

// Valid reports whether s is one of the statuses of a request.
func (s RequestStatus) Valid() bool { return s == StatusOK || s == StatusAborted || s == StatusError }

// Valid reports whether r is one of the reasons for a roster.
func (r RosterReason) Valid() bool {
	switch r {
	case RosterDeploy, RosterPermission, RosterListChanged, RosterUnknown:
		return true
	}
	return false
}

func (t *ToolCall) check() *Error {
	err := first(
		oneOf("/data/resolution", t.Resolution.Valid()),
		oneOf("/data/drift_class", t.DriftClass.Valid()),
		oneOf("/data/outcome", t.Outcome.Valid()),
		oneOf("/data/execution", t.Execution == "" || t.Execution == "client" || t.Execution == "provider"),
		optional(shortDigest, "/data/arguments_digest", t.ArgumentsDigest),
		between("/data/attempt", t.Attempt, maxSmall),
		amount("/data/duration_seconds", t.DurationSeconds),
		tokens("/data/input_tokens", t.InputTokens),
		tokens("/data/output_tokens", t.OutputTokens),
		each("/data/validation_errors", t.ValidationErrors, (*ValidationError).check),
		each("/data/argument_shape", t.ArgumentShape, (*Argument).check),
		each("/data/made_up_ids", t.MadeUpIDs, (*MadeUpID).check),
	)
	if err == nil && len(t.Arguments) > 0 {
		return object("/data/arguments", t.Arguments)
	}
	return err
}

func (v *ValidationError) check() *Error { return required("/keyword", v.Keyword) }

func (a *Argument) check() *Error {
	switch a.Type {
	case "string", "number", "integer", "boolean", "object", "array", "null":
		return nil
	}
	return oneOf("/type", false)
}

func (m *MadeUpID) check() *Error { return shortDigest("/digest", m.Digest) }

func (a *Activation) check() *Error {
	return first(
		oneOf("/data/via", a.Via.Valid()),
		tokens("/data/input_tokens", a.InputTokens),
		tokens("/data/output_tokens", a.OutputTokens),
		each("/data/refused", a.Refused, (*RefusedTool).check),
	)
}

func (r *RefusedTool) check() *Error { return oneOf("/reason", r.Reason.Valid()) }

func (r *RequestPrefix) check() *Error {
	err := first(
		oneOf("/data/status", r.Status.Valid()),
		someTime("/data/start_time", r.StartTime),
		optional(anyDigest, "/data/roster_digest", r.RosterDigest),
		tokens("/data/uncached_input_tokens", r.UncachedInputTokens),
		tokens("/data/cache_read_input_tokens", r.CacheReadInputTokens),
		tokens("/data/cache_write_5m_input_tokens", r.CacheWrite5mInputTokens),
		tokens("/data/cache_write_1h_input_tokens", r.CacheWrite1hInputTokens),
		tokens("/data/output_tokens", r.OutputTokens),
		between("/data/http_status", r.HTTPStatus, maxSmall),
		amount("/data/stated_cost_usd", r.StatedCostUSD.USD),
		each("/data/tools", r.Tools, (*PrefixTool).check),
		each("/data/system", r.System, shortItem),
		each("/data/messages", r.Messages, messageItem),
		each("/data/params", r.Params, (*Param).check),
		each("/data/breakpoints", r.Breakpoints, (*Breakpoint).check),
	)
	if err == nil && !r.EndTime.IsZero() {
		return someTime("/data/end_time", r.EndTime)
	}
	return err
}

func (t *PrefixTool) check() *Error {
	return first(required("/name", t.Name), shortDigest("/digest", t.Digest))
}

func (p *Param) check() *Error {
	return first(required("/name", p.Name), shortDigest("/digest", p.Digest))
}

func (b *Breakpoint) check() *Error {
	return first(
		oneOf("/part", b.Part == "tools" || b.Part == "system" || b.Part == "messages"),
		between("/index", b.Index, maxSmall),
		between("/ttl_seconds", b.TTLSeconds, maxSmall),
	)
}

func (t *ToolRoster) check() *Error {
	return first(
		anyDigest("/data/roster_digest", t.RosterDigest),
		oneOf("/data/reason", t.Reason.Valid()),
		optional(anyDigest, "/data/text_digest", t.TextDigest),
		between("/data/text_length", t.TextLength, maxSmall),
		each("/data/tools", t.Tools, (*RosterTool).check),
	)
}

func (t *RosterTool) check() *Error {
	return first(
		required("/name", t.Name),
		fullDigest("/wire_digest", t.WireDigest),
		fullDigest("/definition_digest", t.DefinitionDigest),
		fullDigest("/schema_digest", t.SchemaDigest),
		between("/summary_length", t.SummaryLength, maxSmall),
	)
}

func (t *ToolDefinition) check() *Error {
	return first(
		required("/data/tool_name", t.ToolName),
		fullDigest("/data/wire_digest", t.WireDigest),
		fullDigest("/data/definition_digest", t.DefinitionDigest),
		fullDigest("/data/schema_digest", t.SchemaDigest),
		object("/data/definition", t.Definition),
	)
}

func (h *ClientHeartbeat) check() *Error {
	return first(
		required("/data/client_id", h.ClientID),
		required("/data/client_version", h.ClientVersion),
		between("/data/emitted", h.Emitted, maxCount),
		between("/data/acked", h.Acked, maxCount),
		between("/data/queue_events", h.QueueEvents, maxCount),
		between("/data/queue_bytes", h.QueueBytes, maxCount),
		between("/data/reconnects", h.Reconnects, maxCount),
		each("/data/dropped", h.Dropped, (*DropCount).check),
	)
}

func (d *DropCount) check() *Error {
	return first(required("/reason", d.Reason), between("/count", d.Count, maxCount))
}
