package metrics

import "github.com/prometheus/client_golang/prometheus"

// factory makes collectors of their definitions and registers them.
type factory struct {
	reg prometheus.Registerer
	// note is told of each definition, unless it is nil.
	note func(Def)
}

// add registers a collector of a definition.
func (f factory) add(d Def, c prometheus.Collector) {
	if f.note != nil {
		f.note(d)
	}
	f.reg.MustRegister(c)
}

func (d Def) opts() prometheus.Opts {
	return prometheus.Opts{Namespace: Namespace, Subsystem: d.Component, Name: d.Base, Help: d.Help}
}

func (f factory) counter(d Def) prometheus.Counter {
	c := prometheus.NewCounter(prometheus.CounterOpts(d.opts()))
	f.add(d, c)
	return c
}

func (f factory) counters(d Def) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts(d.opts()), d.Labels)
	f.add(d, c)
	return c
}

func (f factory) gauge(d Def) prometheus.Gauge {
	g := prometheus.NewGauge(prometheus.GaugeOpts(d.opts()))
	f.add(d, g)
	return g
}

func (f factory) gauges(d Def) *prometheus.GaugeVec {
	g := prometheus.NewGaugeVec(prometheus.GaugeOpts(d.opts()), d.Labels)
	f.add(d, g)
	return g
}

func (f factory) snapshot(d Def) *Snapshot {
	s := newSnapshot(d)
	f.add(d, s)
	return s
}

func (f factory) named(d Def, l *Limits) *Named {
	n := newNamed(d, l)
	f.add(d, n.vec)
	return n
}

// seconds are the buckets of every duration: 1 ms to two minutes.
var seconds = []float64{0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120}

func (d Def) histogramOpts() prometheus.HistogramOpts {
	return prometheus.HistogramOpts{Namespace: Namespace, Subsystem: d.Component, Name: d.Base, Help: d.Help, Buckets: seconds}
}

func (f factory) histogram(d Def) prometheus.Histogram {
	h := prometheus.NewHistogram(d.histogramOpts())
	f.add(d, h)
	return h
}

func (f factory) histograms(d Def) *prometheus.HistogramVec {
	h := prometheus.NewHistogramVec(d.histogramOpts(), d.Labels)
	f.add(d, h)
	return h
}

// One is 1 for what is so and 0 for what is not, as gauges say it.
func One(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
