package analyzer

import "github.com/tooltrail/tooltrail/prefix"

// setWindow sets the metrics of the analyzed window. Their label values are those of this code, none of them a name from outside.
func (a *Analyzer) setWindow(r *Report) {
	m := a.metrics
	for outcome, n := range r.Calls.ByOutcome {
		m.Calls.WithLabelValues(outcome).Set(float64(n))
	}
	m.DeadLetters.Set(float64(r.DeadLetters))
	drifted := uint64(0)
	for i := range r.Drift.Tools {
		drifted += r.Drift.Tools[i].Drifted
	}
	m.DriftedCalls.Set(float64(drifted))
	a.setVerdicts(r)
	m.RuleHits.Reset()
	for rule, hits := range r.Activation.Rules {
		m.RuleHits.WithLabelValues(rule).Set(float64(hits.Count))
	}
}

// setVerdicts sets what became of the prompt cache; a verdict that no longer occurs is 0.
func (a *Analyzer) setVerdicts(r *Report) {
	m := a.metrics
	for _, v := range prefix.Verdicts() {
		var count, lost int64
		var usd float64
		if t := r.Prefix.Verdicts[v]; t != nil {
			count, lost = t.Count, t.TokensLost
			if t.CostUSD != nil {
				usd = *t.CostUSD
			}
		}
		m.Requests.WithLabelValues(string(v)).Set(float64(count))
		if v.Break() {
			m.TokensLost.WithLabelValues(string(v)).Set(float64(lost))
			m.LostUSD.WithLabelValues(string(v)).Set(usd)
		}
	}
}
