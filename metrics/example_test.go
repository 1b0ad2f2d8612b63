package metrics_test

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/tooltrail/tooltrail/metrics"
)

func ExampleNewAnalyzer() {
	m := metrics.NewAnalyzer(prometheus.NewRegistry())
	m.Runs.WithLabelValues("ok").Inc()
	fmt.Println(testutil.ToFloat64(m.Runs.WithLabelValues("ok")))
	// Output: 1
}
