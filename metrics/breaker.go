package metrics

import "github.com/prometheus/client_golang/prometheus"

// Breaker has the metrics of the breaker, which reads tool calls from the event stream and disables tools.
type Breaker struct {
	// Calls counts calls that were read by what became of them: counted, duplicate, ignored because they say nothing of a tool's schema, or
	// history where their message says that they are of long ago.
	Calls *prometheus.CounterVec
	// DecodeErrors counts lines of messages that are no tool call.
	DecodeErrors prometheus.Counter
	// LagMessages is how many messages with tool calls the breaker has not read yet; a message has any number of calls.
	LagMessages prometheus.Gauge
	// Switches is how many tools have a switch, by its state: disabled, probing or enabled.
	Switches *prometheus.GaugeVec
	// Trips counts decisions of this process that were written, by mode: disabled, or why there was an alert only (dry_run, critical,
	// kept_enabled).
	Trips *prometheus.CounterVec
	// Probes counts probe calls whose result was written by this process: enabled or disabled.
	Probes *prometheus.CounterVec
	// DecisionSeconds is the time from when the stream got the call that decided until the switch was written.
	DecisionSeconds prometheus.Histogram
	// WriteErrors counts tries to write a switch or a checkpoint, or to tell of a decision, that did not succeed and are made again.
	WriteErrors *prometheus.CounterVec
	// Restarts counts consumers that were given up and opened anew.
	Restarts prometheus.Counter
	// Gaps counts the times that the stream dropped messages before they were read, or was another one.
	Gaps prometheus.Counter
	// Late counts validation errors that would have decided, had they not been read too late.
	Late prometheus.Counter
	// Unregistered counts validation errors that would have decided on a tool that is not registered, while too many of those have a switch.
	Unregistered prometheus.Counter
	// CheckpointTime is when it was last made sure that the checkpoint is no older than what was read, in seconds since 1970.
	CheckpointTime prometheus.Gauge
	// CheckpointBytes is how large the last checkpoint was that this process wrote.
	CheckpointBytes prometheus.Gauge
	// Untold is how many decisions wait for people to be told of them.
	Untold prometheus.Gauge
}

func newBreaker(reg prometheus.Registerer) *Breaker {
	f := factory{reg, "breaker"}
	return &Breaker{
		Calls:           f.counters("calls_total", "Tool calls read, by what became of them (counted, duplicate, ignored, history).", "result"),
		DecodeErrors:    f.counter("decode_errors_total", "Lines of messages that are no tool call."),
		LagMessages:     f.gauge("lag_messages", "Messages, not calls, that the breaker has not read yet: one has any number of tool calls."),
		Switches:        f.gauges("switches", "Tools that have a switch, by its state (disabled, probing, enabled).", "state"),
		Trips:           f.counters("trips_total", "Decisions on validation errors in a row, by mode (disabled, dry_run, critical, kept_enabled).", "mode"),
		Probes:          f.counters("probes_total", "Probe calls that decided, by result (enabled, disabled).", "result"),
		DecisionSeconds: f.histogram("decision_seconds", "Time from when the stream got the deciding call until the switch was written."),
		WriteErrors:     f.counters("write_errors_total", "Writes that did not succeed and are tried again, by what (switch, checkpoint, finding).", "what"),
		Restarts:        f.counter("restarts_total", "Consumers given up and opened anew."),
		Gaps:            f.counter("gaps_total", "Times that messages were gone before they were read, so that all streaks start anew."),
		Late:            f.counter("late_total", "Validation errors that would have decided, had they not been read too late."),
		Unregistered:    f.counter("unregistered_total", "Validation errors left out: too many tools that nobody registered have a switch already."),
		CheckpointTime:  f.gauge("checkpoint_timestamp_seconds", "When the checkpoint was last seen to be no older than what was read."),
		CheckpointBytes: f.gauge("checkpoint_bytes", "Size of the last checkpoint written."),
		Untold:          f.gauge("untold", "Decisions that people were not told of yet."),
	}
}
