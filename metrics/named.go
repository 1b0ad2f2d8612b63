package metrics

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// Named is a counter with labels that hold names from outside: the names that come first have series of their own, up to the [Limits], and
// all others share one.
type Named struct {
	vec    *prometheus.CounterVec
	def    Def
	limits *Limits

	mu    sync.Mutex
	bound *bound
}

func newNamed(d Def, l *Limits) *Named {
	return &Named{vec: prometheus.NewCounterVec(prometheus.CounterOpts(d.opts()), d.Labels), def: d, limits: l}
}

// Labels returns how many labels it has.
func (n *Named) Labels() int { return len(n.def.Labels) }

// Series returns one series as it is registered.
func (n *Named) Series(values ...string) prometheus.Counter {
	return n.vec.WithLabelValues(n.fit(values)...)
}

// Add adds to the series of the label values. A trace id, where it is not empty, becomes the exemplar.
func (n *Named) Add(v float64, traceID string, values ...string) {
	c := n.Series(values...)
	if e, ok := c.(prometheus.ExemplarAdder); ok && isTraceID(traceID) {
		e.AddWithExemplar(v, prometheus.Labels{"trace_id": traceID})
		return
	}
	c.Add(v)
}

func (n *Named) fit(values []string) []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.bound == nil {
		n.bound = newBound(n.def.Labels, *n.limits)
	}
	fitted, _ := n.bound.fit(values)
	return fitted
}

// isTraceID reports whether an id is of W3C trace context: 32 hexadecimal digits. Anything else would not find a trace, and an exemplar of
// more than 128 characters is refused.
func isTraceID(id string) bool {
	if len(id) != 32 {
		return false
	}
	for _, c := range id {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
