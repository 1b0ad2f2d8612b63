package metrics

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// Snapshot is a gauge of a window: all its series are set at once, so that a scrape sees one run or the next, never half of one.
type Snapshot struct {
	def  Def
	desc *prometheus.Desc

	mu   sync.Mutex
	rows []Row
}

// Row is one series of a [Snapshot].
type Row struct {
	// Values are those of the labels, in the order of the definition.
	Values []string
	Value  float64
}

func newSnapshot(d Def) *Snapshot {
	return &Snapshot{def: d, desc: prometheus.NewDesc(d.Name(), d.Help, d.Labels, nil)}
}

// Set replaces all series. Rows come in the order of their weight: those beyond a limit are added up under [Other] where sum is true, and
// left out where it is false, as for ratios, which can't be added.
func (s *Snapshot) Set(l Limits, sum bool, rows []Row) {
	b := newBound(s.def.Labels, l)
	at := make(map[string]int, len(rows))
	fitted := make([]Row, 0, len(rows))
	for _, r := range rows {
		values, beyond := b.fit(r.Values)
		key := join(values)
		i, ok := at[key]
		switch {
		case !ok && !sum && beyond:
		case !ok:
			at[key] = len(fitted)
			fitted = append(fitted, Row{values, r.Value})
		case sum:
			fitted[i].Value += r.Value
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows = fitted
}

// Describe sends the metric's description.
func (s *Snapshot) Describe(ch chan<- *prometheus.Desc) { ch <- s.desc }

// Collect sends all series.
func (s *Snapshot) Collect(ch chan<- prometheus.Metric) {
	s.mu.Lock()
	rows := s.rows
	s.mu.Unlock()
	for _, r := range rows {
		ch <- prometheus.MustNewConstMetric(s.desc, prometheus.GaugeValue, r.Value, r.Values...)
	}
}
