package analyzer

import (
	"cmp"
	"context"
	_ "embed" // for the query
	"slices"
	"time"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/metrics"
	"github.com/tooltrail/tooltrail/prefix"
)

// setWindow sets the metrics of the analyzed window. Names from outside are bounded: tools are those of the registry, and the metrics bound
// models and agents. What a failed detector would say stays as the last good run left it, so that no alert ends for that.
func (a *Analyzer) setWindow(r *Report, failed map[string]bool) {
	if !failed[summaryDetector] {
		for outcome, n := range r.Calls.ByOutcome {
			a.metrics.Calls.WithLabelValues(outcome).Set(float64(n))
		}
		a.metrics.DeadLetters.Set(float64(r.DeadLetters))
	}
	if !failed[driftDetector] {
		drifted := uint64(0)
		for i := range r.Drift.Tools {
			drifted += r.Drift.Tools[i].Drifted
		}
		a.metrics.DriftedCalls.Set(float64(drifted))
		a.setDrift(r)
	}
	if !failed[prefixDetector] {
		for _, v := range prefix.Verdicts() {
			var count int64
			if t := r.Prefix.Verdicts[v]; t != nil {
				count = t.Count
			}
			a.metrics.Requests.WithLabelValues(string(v)).Set(float64(count))
		}
		a.setCache(&r.Prefix)
	}
	if !failed[activationDetector] {
		a.metrics.RuleHits.Reset()
		for rule, hits := range r.Activation.Rules {
			a.metrics.RuleHits.WithLabelValues(rule).Set(float64(hits.Count))
		}
		a.setActivation(&r.Activation)
	}
}

// rows are the series of one metric of the window.
type rows []metrics.Row

func (r *rows) add(v float64, values ...string) {
	*r = append(*r, metrics.Row{Values: values, Value: v})
}

// heaviest puts the largest values first: they are named where there are more than the limits allow.
func (r rows) heaviest() rows {
	slices.SortFunc(r, func(a, b metrics.Row) int {
		return cmp.Or(cmp.Compare(b.Value, a.Value), slices.Compare(a.Values, b.Values))
	})
	return r
}

// set shows series whose values add up.
func (a *Analyzer) set(s *metrics.Snapshot, r rows) { s.Set(a.metrics.Limits, true, r.heaviest()) }

// setEach shows series whose values do not add up, such as ratios, in the order that they are in.
func (a *Analyzer) setEach(s *metrics.Snapshot, r rows) { s.Set(a.metrics.Limits, false, r) }

// knows reports whether a tool is registered.
func (a *Analyzer) knows(server, tool string) bool {
	return a.registry != nil && a.registry.Knows(drift.Key{Server: server, Tool: tool})
}

// tool returns the label values of a tool: a name that nobody registered is none.
func (a *Analyzer) tool(server, tool string) (string, string) {
	if !a.knows(server, tool) {
		return metrics.Other, metrics.Other
	}
	return server, tool
}

//go:embed store_disks.sql
var disksSQL string

// storeTimeout is how long the store may take to say what its disks are, or which findings are silenced.
const storeTimeout = 5 * time.Second

// setStore shows whether the store answers and how full its disks are. A user of the store who may not see its disks sees none.
func (a *Analyzer) setStore(ctx context.Context, up bool) {
	if !up {
		a.metrics.Window.StoreUp.Set(0)
		return
	}
	a.metrics.Window.StoreUp.Set(1)
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	var free, size rows
	var row struct {
		Name  string `ch:"name"`
		Free  uint64 `ch:"free"`
		Total uint64 `ch:"total"`
	}
	err := a.q.Each(ctx, disksSQL, nil, &row, func() error {
		free.add(float64(row.Free), row.Name)
		size.add(float64(row.Total), row.Name)
		return nil
	})
	if err != nil {
		return
	}
	a.setEach(a.metrics.Window.StoreDiskFree, free)
	a.setEach(a.metrics.Window.StoreDiskSize, size)
}
