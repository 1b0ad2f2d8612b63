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
	// NATSUp is 1 while the connection to NATS stands, StoreUp 1 where the store answered when it was last asked.
	NATSUp, StoreUp prometheus.Gauge
	// Traffic counts what stored events say.
	Traffic *Traffic
	// Limits bound the series of Traffic; set them before the first event.
	Limits *Limits
}

// NewIngest makes the ingester's metrics and registers them. It panics when they are registered already.
func NewIngest(reg prometheus.Registerer) *Ingest {
	return newIngest(factory{reg: reg})
}

func newIngest(f factory) *Ingest {
	limits := DefaultLimits()
	return &Ingest{
		Limits:             &limits,
		Traffic:            newTraffic(f, &limits),
		NATSUp:             f.gauge(IngestNATSUp),
		StoreUp:            f.gauge(IngestStoreUp),
		LanesDown:          f.gauge(IngestLanesDown),
		LagMessages:        f.gauges(IngestLagMessages),
		LagSeconds:         f.gauges(IngestLagSeconds),
		Events:             f.counters(IngestEvents),
		Bytes:              f.counters(IngestBytes),
		Batches:            f.counters(IngestBatches),
		InsertSeconds:      f.histograms(IngestInsertSeconds),
		InsertRetries:      f.counters(IngestInsertRetries),
		Duplicates:         f.counters(IngestDuplicates),
		DeadLetters:        f.counters(IngestDeadLetters),
		LostRaces:          f.counters(IngestLostRaces),
		Restarts:           f.counters(IngestRestarts),
		Gaps:               f.counters(IngestGaps),
		GapMessages:        f.counters(IngestGapMessages),
		MemoryBytes:        f.gauge(IngestMemoryBytes),
		UnassignedSubjects: f.gauge(IngestUnassignedSubjects),
		IntakeRequests:     f.counters(IngestIntakeRequests),
		IntakeEvents:       f.counters(IngestIntakeEvents),
		NamesResolved:      f.counter(IngestNamesResolved),
		RegistryTools:      f.gauge(IngestRegistryTools),
		RegistryWaiting:    f.gauge(IngestRegistryWaiting),
		RegistryWrites:     f.counters(IngestRegistryWrites),
		RegistryErrors:     f.counter(IngestRegistryErrors),
		RegistryRefused:    f.counter(IngestRegistryRefused),
	}
}
