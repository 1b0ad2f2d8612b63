package metrics

import "github.com/prometheus/client_golang/prometheus"

// Ingest has the metrics of the ingester: how far it is behind, what it stored, and what it could not. The label kind is an
// event kind or dead_letter; partition is the number in the subject.
type Ingest struct {
	// LanesDown is the number of lanes that do not work: they are starting, or their store or stream does not answer.
	LanesDown prometheus.Gauge
	// LagMessages is the number of messages in the stream that are not stored yet, by partition and kind.
	LagMessages *prometheus.GaugeVec
	// LagSeconds is the age of the oldest message that was fetched and is not stored yet, by partition and kind.
	LagSeconds *prometheus.GaugeVec
	// Events counts events that were stored and seen to be stored.
	Events *prometheus.CounterVec
	// Bytes counts the bytes of the messages that those events came in.
	Bytes *prometheus.CounterVec
	// Batches counts inserts that were stored and seen to be stored.
	Batches *prometheus.CounterVec
	// InsertSeconds is how long an insert took, with the look whether it was stored.
	InsertSeconds *prometheus.HistogramVec
	// InsertRetries counts inserts that were tried again.
	InsertRetries *prometheus.CounterVec
	// Duplicates counts events left out because their id was stored before.
	Duplicates *prometheus.CounterVec
	// DeadLetters counts lines that went to the dead-letter stream.
	DeadLetters *prometheus.CounterVec
	// LostRaces counts batches thrown away because another ingester stored from the same position first.
	LostRaces *prometheus.CounterVec
	// Restarts counts consumers that were given up and opened anew.
	Restarts *prometheus.CounterVec
	// Gaps counts the times that the stream dropped messages before they were stored.
	Gaps *prometheus.CounterVec
	// GapMessages counts, at most, the messages that were dropped so; other kinds' messages may be among them.
	GapMessages *prometheus.CounterVec
	// MemoryBytes is how much of the memory budget is in use.
	MemoryBytes prometheus.Gauge
	// UnassignedSubjects is the number of subjects in the stream that this ingester does not read.
	UnassignedSubjects prometheus.Gauge
	// IntakeRequests counts requests to the HTTP intake by status code.
	IntakeRequests *prometheus.CounterVec
	// IntakeEvents counts lines at the HTTP intake by result: accepted or refused.
	IntakeEvents *prometheus.CounterVec
	// NamesResolved counts calls whose name the ingester looked up and found right; what it leaves the analyzer judges.
	NamesResolved prometheus.Counter
	// RegistryTools is how many tools calls are judged by.
	RegistryTools prometheus.Gauge
	// RegistryWaiting is how many tools have definitions that are not in the registry's bucket yet.
	RegistryWaiting prometheus.Gauge
	// RegistryWrites counts writes of documents into the registry's bucket by result: written, unchanged (the bucket had it all), failed
	// (and tried again) or refused (and given up).
	RegistryWrites *prometheus.CounterVec
	// RegistryErrors counts revisions of the registry's documents that could not be used, or not all of them.
	RegistryErrors prometheus.Counter
	// RegistryRefused counts tool definitions that no call can be judged by.
	RegistryRefused prometheus.Counter
}

// NewIngest makes the ingester's metrics and registers them. It panics when they are registered already.
func NewIngest(reg prometheus.Registerer) *Ingest {
	f := factory{reg, "ingest"}
	return &Ingest{
		LanesDown:          f.gauge("lanes_down", "Lanes that do not work because the store or the stream does not answer."),
		LagMessages:        f.gauges("lag_messages", "Messages in the stream that are not stored yet.", "partition", "kind"),
		LagSeconds:         f.gauges("lag_seconds", "Age of the oldest fetched message that is not stored yet.", "partition", "kind"),
		Events:             f.counters("events_total", "Events stored.", "kind"),
		Bytes:              f.counters("bytes_total", "Bytes of the messages that stored events came in.", "kind"),
		Batches:            f.counters("batches_total", "Batches stored.", "kind"),
		InsertSeconds:      f.histograms("insert_seconds", "Time from sending a batch until it was seen to be stored.", "kind"),
		InsertRetries:      f.counters("insert_retries_total", "Inserts that were tried again.", "kind"),
		Duplicates:         f.counters("duplicates_total", "Events left out because their id was stored before.", "kind"),
		DeadLetters:        f.counters("dead_letters_total", "Lines that went to the dead-letter stream.", "kind"),
		LostRaces:          f.counters("lost_races_total", "Batches thrown away because another ingester was first.", "kind"),
		Restarts:           f.counters("restarts_total", "Consumers given up and opened anew.", "kind"),
		Gaps:               f.counters("gaps_total", "Times that the stream dropped messages before they were stored.", "kind"),
		GapMessages:        f.counters("gap_messages_total", "Messages, at most, that the stream dropped before they were stored.", "kind"),
		MemoryBytes:        f.gauge("memory_bytes", "Bytes of the memory budget in use."),
		UnassignedSubjects: f.gauge("unassigned_subjects", "Subjects in the stream that this ingester does not read."),
		IntakeRequests:     f.counters("intake_requests_total", "Requests to the HTTP intake, by status code.", "code"),
		IntakeEvents:       f.counters("intake_events_total", "Lines at the HTTP intake, by result (accepted, refused).", "result"),
		NamesResolved:      f.counter("names_resolved_total", "Calls whose name was looked up here and is right; the analyzer judges the others."),
		RegistryTools:      f.gauge("registry_tools", "Tools that calls are judged by."),
		RegistryWaiting:    f.gauge("registry_waiting", "Tools with definitions that are not in the registry's bucket yet."),
		RegistryWrites:     f.counters("registry_writes_total", "Writes of documents into the registry's bucket, by result (written, unchanged, failed, refused).", "result"),
		RegistryErrors:     f.counter("registry_errors_total", "Revisions of the registry's documents that could not be used, or not all of them."),
		RegistryRefused:    f.counter("registry_refused_definitions_total", "Tool definitions that no call can be judged by."),
	}
}
