package ingest

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/metrics"
)

// counting returns the counters of a process that knows the tool shop/order.
func counting(t *testing.T) (*traffic, *prometheus.Registry) {
	t.Helper()
	reg := prometheus.NewRegistry()
	c := NewClassifier(slog.New(slog.DiscardHandler))
	d := &events.ToolDefinition{
		ToolName: "order", Server: "shop", SchemaVersion: "v1",
		Definition: jsontext.Value(`{"name":"order","input_schema":{"type":"object","properties":{"id":{"type":"string"}}}}`),
	}
	if _, err := c.Registry().Register(d, "test", time.Now()); err != nil {
		t.Fatal(err)
	}
	return newTraffic(metrics.NewIngest(reg).Traffic, c), reg
}

func storedBatch(all ...events.Data) *batch {
	b := &batch{}
	for i, d := range all {
		b.rows = append(b.rows, events.Row{Seq: uint64(i + 1), Event: &events.Event{Data: d}})
	}
	return b
}

func seriesOf(t *testing.T, reg *prometheus.Registry, name string) int {
	t.Helper()
	n, err := testutil.GatherAndCount(reg, name)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestAFloodOfCalledNamesMakesNoSeries(t *testing.T) {
	tr, reg := counting(t)
	const flood = 10_000
	var all []events.Data
	for i := range flood {
		c := &events.ToolCall{
			ToolName: fmt.Sprint("made_up_", i), Server: fmt.Sprint("s", i), Outcome: events.OutcomeRefused,
			Resolution: events.ResolvedUnknown, DriftClass: events.DriftOldVersion, MadeUpIDs: []events.MadeUpID{{Path: "/id"}},
		}
		c.RequestModel, c.AgentName = fmt.Sprint("m", i), fmt.Sprint("a", i)
		all = append(all, c)
	}
	all = append(all, &events.ToolCall{ToolName: "order", Server: "shop", Outcome: events.OutcomeOK, DriftClass: events.DriftOldVersion})
	tr.count(storedBatch(all...))
	l := metrics.DefaultLimits()
	for name, most := range map[string]int{
		metrics.TrafficToolCalls.Name(): l.Models + 2, metrics.TrafficDriftCalls.Name(): l.Models + 2, metrics.TrafficMadeUpIDs.Name(): l.Models + 2,
		metrics.TrafficNamedCalls.Name(): (l.Models + 1) * (l.Agents + 1),
	} {
		if n := seriesOf(t, reg, name); n == 0 || n > most {
			t.Errorf("%s has %d series, at most %d", name, n, most)
		}
	}
	if got := testutil.ToFloat64(drifts(tr, "shop", "order", "", "old_version")); got != 1 {
		t.Errorf("%v drifted calls of the registered tool, want 1", got)
	}
}

// drifts is one series of the drifted calls.
func drifts(tr *traffic, values ...string) prometheus.Collector {
	return tr.to.DriftCalls.Series(values...)
}

func TestEventsOfLongAgoAreNotCounted(t *testing.T) {
	tr, reg := counting(t)
	b := storedBatch(&events.ToolCall{ToolName: "order", Server: "shop", Outcome: events.OutcomeOK})
	b.history = map[uint64]bool{1: true}
	tr.count(b)
	if n := seriesOf(t, reg, metrics.TrafficToolCalls.Name()); n != 0 {
		t.Errorf("%d series, want none", n)
	}
}

func TestHeartbeatsCountWhatTheyAdd(t *testing.T) {
	beat := func(client string, emitted, dropped int64) *events.ClientHeartbeat {
		h := &events.ClientHeartbeat{ClientID: client, Emitted: emitted}
		h.AgentName = "desk"
		if dropped > 0 {
			h.Dropped = []events.DropCount{{Reason: "buffer_full", Count: dropped}}
		}
		return h
	}
	for _, c := range []struct {
		name             string
		up               time.Duration
		beats            []*events.ClientHeartbeat
		emitted, dropped float64
	}{
		{"the first of a client that was there before this process", 0, []*events.ClientHeartbeat{beat("a", 100, 7)}, 0, 0},
		{"the first of a new client", time.Hour, []*events.ClientHeartbeat{beat("a", 100, 7)}, 100, 7},
		{"a second one", 0, []*events.ClientHeartbeat{beat("a", 100, 7), beat("a", 150, 9)}, 50, 2},
		{"a client that started anew", 0, []*events.ClientHeartbeat{beat("a", 100, 7), beat("a", 30, 2)}, 30, 2},
		{"two clients of one agent", time.Hour, []*events.ClientHeartbeat{beat("a", 10, 1), beat("b", 20, 2)}, 30, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr, _ := counting(t)
			tr.clients.began = time.Now().Add(-c.up)
			for _, h := range c.beats {
				tr.count(storedBatch(h))
			}
			emitted := testutil.ToFloat64(tr.to.ClientEmitted.Series("desk"))
			dropped := testutil.ToFloat64(tr.to.ClientDropped.Series("desk", "buffer_full"))
			if emitted != c.emitted || dropped != c.dropped {
				t.Errorf("%v emitted, %v dropped; want %v and %v", emitted, dropped, c.emitted, c.dropped)
			}
		})
	}
}

// BenchmarkTraffic is what counting costs a stored call.
func BenchmarkTraffic(b *testing.B) {
	tr := newTraffic(metrics.NewIngest(prometheus.NewRegistry()).Traffic, NewClassifier(slog.New(slog.DiscardHandler)))
	var all []events.Data
	for i := range 10_000 {
		c := &events.ToolCall{ToolName: "order", Server: "shop", Outcome: events.OutcomeOK, Resolution: events.ResolvedOK, DriftClass: events.DriftCurrent}
		c.RequestModel, c.AgentName = fmt.Sprint("m", i%3), "desk"
		all = append(all, c)
	}
	stored := storedBatch(all...)
	for b.Loop() {
		tr.count(stored)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(all)), "ns/call")
}
