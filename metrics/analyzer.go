package metrics

import "github.com/prometheus/client_golang/prometheus"

// Analyzer has the metrics of the analyzer: how its runs go, and what the last one found in its window.
type Analyzer struct {
	// Runs counts runs by result: ok, or error when any detector failed.
	Runs *prometheus.CounterVec
	// DetectorErrors counts failed runs of a detector.
	DetectorErrors *prometheus.CounterVec
	// DetectorDuration is how long a detector took, in seconds.
	DetectorDuration *prometheus.HistogramVec
	// LastSuccess is when a detector last ended without an error, in seconds since 1970; until it first does, when the first run began.
	LastSuccess *prometheus.GaugeVec
	// FindingsNew counts findings that were not known before.
	FindingsNew *prometheus.CounterVec
	// Findings is how many findings the last run had.
	Findings *prometheus.GaugeVec
	// PublishErrors counts new findings that could not be published.
	PublishErrors prometheus.Counter

	// Calls is the number of tool calls in the window, by outcome.
	Calls *prometheus.GaugeVec
	// DriftedCalls is the number of drifted tool calls in the window.
	DriftedCalls prometheus.Gauge
	// Requests is the number of model requests in the window, by verdict on their prompt cache.
	Requests *prometheus.GaugeVec
	// RuleHits is the number of calls or loads that an activation rule matched in the window.
	RuleHits *prometheus.GaugeVec
	// DeadLetters is the number of events refused in the window.
	DeadLetters prometheus.Gauge

	// NamesJudged counts calls whose name was looked up in a roster by the analyzer, since their sender did not; a call that is judged again by
	// what came later counts again.
	NamesJudged prometheus.Counter

	// HistoryChanges counts changes of the registry's and the breaker's buckets that were kept, by bucket.
	HistoryChanges *prometheus.CounterVec
	// HistoryErrors counts tries to follow a bucket or to keep its changes that did not succeed, by bucket.
	HistoryErrors *prometheus.CounterVec
	// RegistryTools is how many tools the analyzer knows from the registry's bucket.
	RegistryTools prometheus.Gauge
	// RegistryErrors counts revisions of the registry's documents that could not be used.
	RegistryErrors prometheus.Counter
	// SettingsErrors counts contents of the settings file that could not be used.
	SettingsErrors prometheus.Counter
	// SettingsRefused is 1 while the settings file can't be used as it is, else 0.
	SettingsRefused prometheus.Gauge
	// SettingsLoaded is when the settings file was last read and used, in seconds since 1970; 0 without one.
	SettingsLoaded prometheus.Gauge

	// Window has what the last run says by tool, model and agent.
	Window *Window
	// Limits bound the series of Window; set them before the first run.
	Limits Limits
	// Breaker has those of the breaker, which runs beside the detectors.
	Breaker *Breaker
}

// NewAnalyzer makes the analyzer's metrics and registers them. It panics when they are registered already.
func NewAnalyzer(reg prometheus.Registerer) *Analyzer {
	return newAnalyzer(factory{reg: reg})
}

func newAnalyzer(f factory) *Analyzer {
	return &Analyzer{
		Window:  newWindow(f),
		Limits:  DefaultLimits(),
		Breaker: newBreaker(f),

		Runs:             f.counters(AnalyzerRuns),
		DetectorErrors:   f.counters(AnalyzerDetectorErrors),
		DetectorDuration: f.histograms(AnalyzerDetectorDuration),
		LastSuccess:      f.gauges(AnalyzerLastSuccess),
		FindingsNew:      f.counters(AnalyzerFindingsNew),
		Findings:         f.gauges(AnalyzerFindings),
		PublishErrors:    f.counter(AnalyzerPublishErrors),
		Calls:            f.gauges(AnalyzerCalls),
		DriftedCalls:     f.gauge(AnalyzerDriftedCalls),
		Requests:         f.gauges(AnalyzerRequests),
		RuleHits:         f.gauges(AnalyzerRuleHits),
		DeadLetters:      f.gauge(AnalyzerDeadLetters),
		NamesJudged:      f.counter(AnalyzerNamesJudged),
		HistoryChanges:   f.counters(AnalyzerHistoryChanges),
		HistoryErrors:    f.counters(AnalyzerHistoryErrors),
		RegistryTools:    f.gauge(AnalyzerRegistryTools),
		RegistryErrors:   f.counter(AnalyzerRegistryErrors),
		SettingsErrors:   f.counter(AnalyzerSettingsErrors),
		SettingsRefused:  f.gauge(AnalyzerSettingsRefused),
		SettingsLoaded:   f.gauge(AnalyzerSettingsLoaded),
	}
}
