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
	// ToolState is 1 for the state that a tool's switch is in: disabled, probing, enabled, or alerted (dry_run) where people were told and the
	// tool stays enabled; silenced where nobody wants to be told. Tools that nobody registered are counted together under [Other].
	ToolState *Snapshot
	// NATSUp is 1 while the analyzer's connection to NATS stands.
	NATSUp prometheus.Gauge
}

func newBreaker(f factory) *Breaker {
	return &Breaker{
		Calls:           f.counters(BreakerCalls),
		DecodeErrors:    f.counter(BreakerDecodeErrors),
		LagMessages:     f.gauge(BreakerLagMessages),
		Switches:        f.gauges(BreakerSwitches),
		Trips:           f.counters(BreakerTrips),
		Probes:          f.counters(BreakerProbes),
		DecisionSeconds: f.histogram(BreakerDecisionSeconds),
		WriteErrors:     f.counters(BreakerWriteErrors),
		Restarts:        f.counter(BreakerRestarts),
		Gaps:            f.counter(BreakerGaps),
		Late:            f.counter(BreakerLate),
		Unregistered:    f.counter(BreakerUnregistered),
		CheckpointTime:  f.gauge(BreakerCheckpointTime),
		CheckpointBytes: f.gauge(BreakerCheckpointBytes),
		Untold:          f.gauge(BreakerUntold),
		ToolState:       f.snapshot(BreakerToolState),
		NATSUp:          f.gauge(BreakerNATSUp),
	}
}
