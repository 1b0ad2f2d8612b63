package metrics

// The metrics of the component breaker: see the struct [Breaker] for what each says.
var (
	BreakerCalls           = Def{"breaker", "calls_total", Counter, "calls", "Tool calls read, by what became of them (counted, duplicate, ignored, history).", []string{"result"}}
	BreakerDecodeErrors    = Def{"breaker", "decode_errors_total", Counter, "errors", "Lines of messages that are no tool call.", nil}
	BreakerLagMessages     = Def{"breaker", "lag_messages", Gauge, "messages", "Messages, not calls, that the breaker has not read yet: one has any number of tool calls.", nil}
	BreakerSwitches        = Def{"breaker", "switches", Gauge, "switches", "Tools that have a switch, by its state (disabled, probing, enabled).", []string{"state"}}
	BreakerTrips           = Def{"breaker", "trips_total", Counter, "decisions", "Decisions on validation errors in a row, by mode (disabled, dry_run, critical, kept_enabled).", []string{"mode"}}
	BreakerProbes          = Def{"breaker", "probes_total", Counter, "calls", "Probe calls that decided, by result (enabled, disabled).", []string{"result"}}
	BreakerDecisionSeconds = Def{"breaker", "decision_seconds", Histogram, "seconds", "Time from when the stream got the deciding call until the switch was written.", nil}
	BreakerWriteErrors     = Def{"breaker", "write_errors_total", Counter, "errors", "Writes that did not succeed and are tried again, by what (switch, checkpoint, finding).", []string{"what"}}
	BreakerRestarts        = Def{"breaker", "restarts_total", Counter, "restarts", "Consumers given up and opened anew.", nil}
	BreakerGaps            = Def{"breaker", "gaps_total", Counter, "gaps", "Times that messages were gone before they were read, so that all streaks start anew.", nil}
	BreakerLate            = Def{"breaker", "late_total", Counter, "calls", "Validation errors that would have decided, had they not been read too late.", nil}
	BreakerUnregistered    = Def{"breaker", "unregistered_total", Counter, "calls", "Validation errors left out: too many tools that nobody registered have a switch already.", nil}
	BreakerCheckpointTime  = Def{"breaker", "checkpoint_timestamp_seconds", Gauge, "seconds since 1970", "When the checkpoint was last seen to be no older than what was read.", nil}
	BreakerCheckpointBytes = Def{"breaker", "checkpoint_bytes", Gauge, "bytes", "Size of the last checkpoint written.", nil}
	BreakerUntold          = Def{"breaker", "untold", Gauge, "decisions", "Decisions that people were not told of yet.", nil}
	BreakerToolState       = Def{"breaker", "tool_state", Gauge, "switches", "1 for the state that a tool's switch is in (disabled, probing, enabled, alerted, dry_run), or silenced where the finding on it is muted or was resolved since; tools that nobody registered are counted under other.", []string{"server", "tool", "state"}}
	BreakerNATSUp          = Def{"breaker", "nats_up", Gauge, "0 or 1", "1 while the analyzer is connected to NATS.", nil}
)
