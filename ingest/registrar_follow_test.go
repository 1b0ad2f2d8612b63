package ingest

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/metrics"
	"github.com/tooltrail/tooltrail/stream"
)

var tool = drift.Key{Server: "s", Tool: "t"}

func unwatched() (*Classifier, *Registrar) {
	c := NewClassifier(slog.New(slog.DiscardHandler))
	return c, NewRegistrar(c, nil, metrics.NewIngest(prometheus.NewRegistry()), slog.New(slog.DiscardHandler))
}

func versioned(name string) *events.ToolDefinition {
	return &events.ToolDefinition{
		Server: tool.Server, ToolName: tool.Tool, SchemaVersion: name,
		Definition: fmt.Appendf(nil, `{"name":"t","inputSchema":{"type":"object","required":[%q]}}`, name),
	}
}

// entry is a document that has seen versions, as the bucket gives it.
func entry(t *testing.T, revision uint64, versions ...string) stream.Entry {
	t.Helper()
	d := drift.NewDocument(tool)
	for i, name := range versions {
		if _, err := d.Register(versioned(name), "ada", time.Unix(int64(i), 0), ""); err != nil {
			t.Fatal(err)
		}
	}
	value, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return stream.Entry{Key: "s.t", Value: value, Revision: revision}
}

func active(c *Classifier) string {
	if d := c.registry.Document(tool); d != nil && d.Active() != nil {
		return d.Active().Version
	}
	return ""
}

func TestWhatWaitsToBeWrittenIsJudgedByWhateverTheBucketBrings(t *testing.T) {
	c, r := unwatched()
	c.Enrich(&events.Event{Time: time.Unix(10, 0), Data: versioned("v3")})
	for revision, versions := range [][]string{{"v1"}, {"v1", "v2"}} {
		follower{r}.Changed(entry(t, uint64(revision+1), versions...))
		if got := active(c); got != "v3" {
			t.Errorf("after revision %d calls are judged by %q, want v3", revision+1, got)
		}
	}
	follower{r}.Changed(entry(t, 3, "v1", "v2", "v3"))
	if len(r.waiting) != 0 {
		t.Errorf("%v wait, and the bucket has it all", r.waiting)
	}
	follower{r}.Changed(entry(t, 4, "v1", "v2"))
	if got := active(c); got != "v2" {
		t.Errorf("calls are judged by %q, and somebody took v3 away", got)
	}
}

func TestAnOlderRevisionIsPassedOverUnlessTheBucketIsAnotherOne(t *testing.T) {
	c, r := unwatched()
	f := follower{r}
	f.Changed(entry(t, 9, "v1", "v2"))
	f.Changed(entry(t, 8, "v1"))
	if got := active(c); got != "v2" {
		t.Errorf("calls are judged by %q of an older revision", got)
	}
	f.Whole([]stream.Entry{entry(t, 1, "v1")})
	if got := active(c); got != "v1" {
		t.Errorf("calls are judged by %q, want what the new bucket has", got)
	}
	f.Whole([]stream.Entry{{Key: "s.t", Revision: 2, Deleted: true}})
	if got := active(c); got != "" || len(r.waiting) != 0 {
		t.Errorf("a tool that was taken away while nobody watched is judged by %q, %v wait", got, r.waiting)
	}
}
