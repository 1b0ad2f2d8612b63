package analyzer_test

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/metrics"
)

// empty is a store in which nothing is.
type empty struct{}

func (empty) Each(context.Context, string, []any, any, func() error) error { return nil }

func ExampleAnalyzer_Once() {
	a, err := analyzer.New(analyzer.DefaultConfig(), empty{}, nil, nil,
		metrics.NewAnalyzer(prometheus.NewRegistry()), slog.New(slog.DiscardHandler))
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := a.Once(context.Background(), finding.Window{})
	fmt.Println(r.Calls.Total, len(r.Findings), err)
	// Output: 0 0 <nil>
}
