package ingest

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Readiness is the body of /readyz.
type Readiness struct {
	Ready bool `json:"ready"`
	// NATS and Store are "ok" or what is wrong.
	NATS  string `json:"nats"`
	Store string `json:"store"`
	Lanes []Lane `json:"lanes"`
}

// Handler serves /metrics from the gatherer, /healthz (200 while the process lives), /readyz (200 while NATS and the store answer
// and all lanes work, else 503 and which does not) and, unless intake is nil, [IntakePath].
func (g *Ingester) Handler(metrics prometheus.Gatherer, intake http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(metrics, promhttp.HandlerOpts{EnableOpenMetrics: true}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) })
	mux.HandleFunc("GET /readyz", g.serveReady)
	if intake != nil {
		mux.Handle(IntakePath, intake)
	}
	return mux
}

func (g *Ingester) serveReady(w http.ResponseWriter, r *http.Request) {
	ready := g.readiness(r.Context())
	w.Header().Set("Content-Type", "application/json")
	if !ready.Ready {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_ = json.NewEncoder(w).Encode(ready) // the client has gone
}

// readyTimeout is how long the store may take to say that it is there.
const readyTimeout = 3 * time.Second

// readiness asks NATS and the store whether they are there, and the lanes whether they work.
func (g *Ingester) readiness(ctx context.Context) Readiness {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	r := Readiness{Ready: true, NATS: "ok", Store: "ok", Lanes: g.Lanes()}
	if !g.js.Conn().IsConnected() {
		r.Ready, r.NATS = false, "not connected"
	}
	if _, err := g.sink.Position(ctx, "0/"+g.lanes[0].subject); err != nil {
		r.Ready, r.Store = false, err.Error()
	}
	for _, l := range r.Lanes {
		r.Ready = r.Ready && l.OK
	}
	return r
}
