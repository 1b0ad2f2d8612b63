package analyzer

import (
	"fmt"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// missedTicks is how many intervals may pass without a good run before the analyzer calls itself unhealthy.
const missedTicks = 3

// Handler serves /metrics, and /healthz: 200 while runs succeed, 503 when none has for three intervals and a timeout.
func (a *Analyzer) Handler(g prometheus.Gatherer) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(g, promhttp.HandlerOpts{EnableOpenMetrics: true}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		if err := a.health(); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		_, _ = fmt.Fprintln(w, "ok")
	})
	return mux
}

// health returns an error when [Analyzer.Run] has gone without a good run for too long, counted from its start.
func (a *Analyzer) health() error {
	last := max(a.healthy.Load(), a.started.Load())
	if last == 0 {
		return nil
	}
	limit := missedTicks*a.cfg.Interval + a.cfg.Timeout
	if age := a.now().Sub(time.Unix(0, last)); age > limit {
		return fmt.Errorf("no run without errors for %s, at most %s", age.Round(time.Second), limit)
	}
	return nil
}
