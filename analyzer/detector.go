package analyzer

import (
	"context"
	"time"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/prefix"
)

// detector fills its part of a report and returns what it found.
type detector struct {
	name string
	run  func(ctx context.Context, q Querier, r *Report) ([]finding.Finding, error)
}

// tokenPrices says what tokens cost by a table of prices. A row that holds up to a length of prompt is taken for any: a call's tokens are a
// share of a prompt whose length is not known.
func tokenPrices(prices prefix.Prices) activation.PriceFunc {
	return func(provider, model string, at time.Time) (input, output float64, known bool) {
		row, ok := prices.Find(provider, model, at)
		if !ok || row.InputUSD == nil || row.OutputUSD == nil {
			return 0, 0, false
		}
		return *row.InputUSD, *row.OutputUSD, true
	}
}

// The names of the detectors in metrics. The summary reads one row a table: when it fails the store is not there.
const (
	summaryDetector    = "summary"
	driftDetector      = drift.Detector
	prefixDetector     = "prefix"
	activationDetector = activation.Detector
)

// settlers judge requests and names of calls, and keep what they judged; they are nil where nothing is kept.
type settlers struct {
	requests *prefix.Settler
	names    *activation.Settler
}

// detectors returns the summary and the three verticals, in the order in which they run. A nil known is a registry that knows nothing.
// Without settlers no verdicts on requests are kept, and names are those that were looked up before.
func detectors(cfg Config, known drift.Schemas, judges settlers) []detector {
	return []detector{
		{summaryDetector, func(ctx context.Context, q Querier, r *Report) ([]finding.Finding, error) {
			return nil, summarise(ctx, q, r)
		}},
		{driftDetector, func(ctx context.Context, q Querier, r *Report) (fs []finding.Finding, err error) {
			r.Drift, fs, err = drift.Analyze(ctx, q, r.Window, cfg.Drift, known)
			return fs, err
		}},
		{prefixDetector, func(ctx context.Context, q Querier, r *Report) (fs []finding.Finding, err error) {
			if judges.requests != nil {
				r.Prefix, fs, err = judges.requests.Analyze(ctx, r.Window, cfg.Prefix)
			} else {
				r.Prefix, fs, err = prefix.Analyze(ctx, q, r.Window, cfg.Prefix)
			}
			r.StatedCostUSD, r.CostUSD = r.Prefix.StatedCostUSD, r.Prefix.CostUSD
			return fs, err
		}},
		{activationDetector, func(ctx context.Context, q Querier, r *Report) (fs []finding.Finding, err error) {
			if judges.names != nil {
				if err := judges.names.Settle(ctx, cfg.Activation); err != nil {
					return nil, err
				}
			}
			r.Activation, fs, err = activation.Analyze(ctx, q, r.Window, cfg.Activation, tokenPrices(cfg.Prefix.Prices))
			return fs, err
		}},
	}
}
