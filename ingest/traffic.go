package ingest

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/metrics"
)

// traffic counts what stored events say, for /metrics.
type traffic struct {
	to *metrics.Traffic
	// registered reports whether a tool is; others have no names in metrics.
	registered func(drift.Key) bool
	clients    clients
}

func newTraffic(to *metrics.Traffic, e Enricher) *traffic {
	t := &traffic{to: to, registered: func(drift.Key) bool { return false }, clients: clients{began: time.Now(), last: map[string]beat{}}}
	if known, ok := e.(interface{ Registry() *drift.Registry }); ok {
		t.registered = known.Registry().Knows
	}
	return t
}

// sum is what one series grows by, with the trace of the last event of it.
type sum struct {
	n     uint64
	trace string
}

// series are the label values of one; those that a metric does not have are empty.
type series [4]string

// sums adds up a batch by metric and series, so that a metric is touched once for many events.
type sums map[*metrics.Named]map[series]sum

func (s sums) add(m *metrics.Named, n uint64, trace string, values ...string) {
	if n == 0 {
		return
	}
	if s[m] == nil {
		s[m] = map[series]sum{}
	}
	var key series
	copy(key[:], values)
	was := s[m][key]
	s[m][key] = sum{was.n + n, cmp.Or(trace, was.trace)}
}

// count counts the events of a stored batch, but for those of long ago.
func (t *traffic) count(b *batch) {
	all := sums{}
	for i := range b.rows {
		row := &b.rows[i]
		if b.history[row.Seq] {
			continue
		}
		switch d := row.Event.Data.(type) {
		case *events.ToolCall:
			t.call(all, d)
		case *events.Activation:
			for _, r := range d.Refused {
				all.add(t.to.Refusals, 1, "", string(r.Reason), d.AgentName)
			}
		case *events.ClientHeartbeat:
			t.heartbeat(all, d)
		}
	}
	for m, each := range all {
		for key, s := range each {
			m.Add(float64(s.n), s.trace, key[:m.Labels()]...)
		}
	}
}

func (t *traffic) call(all sums, c *events.ToolCall) {
	server, tool := c.Server, cmp.Or(c.ResolvedName, c.ToolName)
	if !t.registered(drift.Key{Server: server, Tool: tool}) {
		server, tool = metrics.Other, metrics.Other
	}
	trace := ""
	if c.Outcome != events.OutcomeOK {
		trace = c.TraceID
	}
	all.add(t.to.ToolCalls, 1, trace, server, tool, c.RequestModel, string(c.Outcome))
	if c.Resolution != "" {
		all.add(t.to.NamedCalls, 1, "", string(c.Resolution), c.AgentName, c.RequestModel)
	}
	if class := drifted(c); class != "" {
		all.add(t.to.DriftCalls, 1, c.TraceID, server, tool, c.RequestModel, string(class))
	}
	all.add(t.to.MadeUpIDs, uint64(len(c.MadeUpIDs)), c.TraceID, server, tool, c.RequestModel)
}

// drifted says how a call has drifted, as reports count it; empty where it has not. One that failed validation has, judged or not.
func drifted(c *events.ToolCall) events.DriftClass {
	switch c.DriftClass {
	case events.DriftOldVersion, events.DriftSilentDefault, events.DriftUnknownArgument, events.DriftValidationError:
		return c.DriftClass
	case "", events.DriftUnregistered:
		if c.Outcome == events.OutcomeValidationError {
			return events.DriftValidationError
		}
	}
	return ""
}

func (t *traffic) heartbeat(all sums, h *events.ClientHeartbeat) {
	d := t.clients.since(h)
	all.add(t.to.ClientEmitted, d.emitted, "", h.AgentName)
	all.add(t.to.ClientAcked, d.acked, "", h.AgentName)
	for reason, n := range d.dropped {
		all.add(t.to.ClientDropped, n, "", h.AgentName, reason)
	}
}

const (
	// maxClients is how many clients' last heartbeats are kept; beyond it all are forgotten.
	maxClients = 20_000
	// newClientAfter is how long after its start this process takes a client that it never heard of for a new one, all of whose counts are news.
	// Before that it was running already, and its counts were told to another process. Clients send a heartbeat every 30 seconds.
	newClientAfter = 2 * time.Minute
)

// clients turns the counts of heartbeats, which are since the client started, into what was added.
type clients struct {
	began time.Time
	mu    sync.Mutex
	last  map[string]beat
}

// beat is what one heartbeat counts.
type beat struct {
	emitted, acked uint64
	dropped        map[string]uint64
}

// since returns what a client counts more than at its last heartbeat; a count that went down says that it started anew.
func (c *clients) since(h *events.ClientHeartbeat) beat {
	now := beat{emitted: positive(h.Emitted), acked: positive(h.Acked), dropped: map[string]uint64{}}
	for _, d := range h.Dropped {
		now.dropped[d.Reason] += positive(d.Count)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.last) >= maxClients {
		clear(c.last)
	}
	was, known := c.last[h.ClientID]
	c.last[h.ClientID] = now
	if !known && time.Since(c.began) < newClientAfter {
		return beat{}
	}
	d := beat{emitted: more(was.emitted, now.emitted), acked: more(was.acked, now.acked), dropped: map[string]uint64{}}
	for reason, n := range now.dropped {
		d.dropped[reason] = more(was.dropped[reason], n)
	}
	return d
}

func positive(n int64) uint64 { return uint64(max(n, 0)) } //nolint:gosec // not negative

// more is what a count grew by; after a restart all of it is new.
func more(was, now uint64) uint64 {
	if now < was {
		return now
	}
	return now - was
}

// showUp shows whether NATS and the store are there.
func (g *Ingester) showUp(ctx context.Context) {
	g.metrics.NATSUp.Set(metrics.One(g.js.Conn().IsConnected()))
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	_, err := g.sink.Position(ctx, "0/"+g.lanes[0].subject)
	g.metrics.StoreUp.Set(metrics.One(err == nil))
}
