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
	// LastSuccess is when a detector last ended without an error, in seconds since 1970.
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
	// TokensLost is the number of tokens rewritten into the cache in the window, by verdict.
	TokensLost *prometheus.GaugeVec
	// LostUSD is what the lost tokens cost, in US dollars, by verdict.
	LostUSD *prometheus.GaugeVec
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
	// SettingsLoaded is when the settings file was last read and used, in seconds since 1970; 0 without one.
	SettingsLoaded prometheus.Gauge

	// Breaker has those of the breaker, which runs beside the detectors.
	Breaker *Breaker
}

// NewAnalyzer makes the analyzer's metrics and registers them. It panics when they are registered already.
func NewAnalyzer(reg prometheus.Registerer) *Analyzer {
	f := factory{reg, "analyzer"}
	return &Analyzer{
		Breaker: newBreaker(reg),

		Runs:             f.counters("runs_total", "Runs of the analyzer, by result (ok, error).", "result"),
		DetectorErrors:   f.counters("detector_errors_total", "Runs of a detector that ended in an error.", "detector"),
		DetectorDuration: f.histograms("detector_duration_seconds", "Time that a run of a detector took.", "detector"),
		LastSuccess:      f.gauges("last_success_timestamp_seconds", "When a detector last ended without an error.", "detector"),
		FindingsNew:      f.counters("new_findings_total", "Findings that were not known before.", "detector", "severity"),
		Findings:         f.gauges("findings", "Findings of the last run.", "detector", "severity"),
		PublishErrors:    f.counter("publish_errors_total", "New findings that could not be published to NATS."),
		Calls:            f.gauges("window_calls", "Tool calls in the analyzed window, by outcome.", "outcome"),
		DriftedCalls:     f.gauge("window_drifted_calls", "Tool calls in the analyzed window that drifted from the active schema."),
		Requests:         f.gauges("window_requests", "Model requests in the analyzed window, by verdict on their prompt cache.", "verdict"),
		TokensLost:       f.gauges("window_lost_tokens", "Tokens that the prompt cache lost in the analyzed window, by verdict.", "verdict"),
		LostUSD:          f.gauges("window_lost_usd", "US dollars that lost tokens cost in the analyzed window, by verdict.", "verdict"),
		RuleHits:         f.gauges("window_rule_hits", "Calls and loads in the analyzed window that an activation rule matched.", "rule"),
		DeadLetters:      f.gauge("window_dead_letters", "Events refused in the analyzed window."),
		NamesJudged:      f.counter("names_judged_total", "Calls whose name was looked up here, since their sender did not; what is judged again by what came later counts again."),
		HistoryChanges:   f.counters("history_changes_total", "Changes of the registry's and the breaker's buckets that were kept.", "bucket"),
		HistoryErrors:    f.counters("history_errors_total", "Tries to follow a bucket or to keep its changes that did not succeed.", "bucket"),
		RegistryTools:    f.gauge("registry_tools", "Tools that the analyzer knows from the registry's bucket."),
		RegistryErrors:   f.counter("registry_errors_total", "Revisions of the registry's documents that could not be used."),
		SettingsErrors:   f.counter("settings_reload_errors_total", "Contents of the settings file that could not be used; the last good ones stay in force."),
		SettingsLoaded:   f.gauge("settings_last_reload_success_timestamp_seconds", "When the settings file was last read and used; 0 without one."),
	}
}

// factory makes and registers the collectors of one component.
type factory struct {
	reg       prometheus.Registerer
	component string
}

func (f factory) opts(name, help string) prometheus.Opts {
	return prometheus.Opts{Namespace: Namespace, Subsystem: f.component, Name: name, Help: help}
}

func (f factory) counter(name, help string) prometheus.Counter {
	c := prometheus.NewCounter(prometheus.CounterOpts(f.opts(name, help)))
	f.reg.MustRegister(c)
	return c
}

func (f factory) counters(name, help string, labels ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts(f.opts(name, help)), labels)
	f.reg.MustRegister(c)
	return c
}

func (f factory) gauge(name, help string) prometheus.Gauge {
	g := prometheus.NewGauge(prometheus.GaugeOpts(f.opts(name, help)))
	f.reg.MustRegister(g)
	return g
}

func (f factory) gauges(name, help string, labels ...string) *prometheus.GaugeVec {
	g := prometheus.NewGaugeVec(prometheus.GaugeOpts(f.opts(name, help)), labels)
	f.reg.MustRegister(g)
	return g
}

// seconds are the buckets of every duration: 1 ms to two minutes.
var seconds = []float64{0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120}

func (f factory) histogram(name, help string) prometheus.Histogram {
	o := f.opts(name, help)
	h := prometheus.NewHistogram(prometheus.HistogramOpts{Namespace: o.Namespace, Subsystem: o.Subsystem, Name: o.Name, Help: o.Help, Buckets: seconds})
	f.reg.MustRegister(h)
	return h
}

func (f factory) histograms(name, help string, labels ...string) *prometheus.HistogramVec {
	o := f.opts(name, help)
	h := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: o.Namespace, Subsystem: o.Subsystem, Name: o.Name, Help: o.Help, Buckets: seconds,
	}, labels)
	f.reg.MustRegister(h)
	return h
}
