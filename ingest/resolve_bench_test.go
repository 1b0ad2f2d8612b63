package ingest_test

import (
	"fmt"
	"testing"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/ingest"
)

// nameless has calls come without a resolution.
type nameless struct{ then ingest.Enricher }

func (n nameless) Enrich(e *events.Event) {
	if c, ok := e.Data.(*events.ToolCall); ok {
		c.Resolution, c.ResolutionHow, c.ResolvedName, c.Server, c.ArgumentShape = "", "", "", "", nil
		if n.then != nil {
			n.then.Enrich(e)
		}
	}
}

// BenchmarkNames is the whole path for calls that come without a resolution, one a message, with and without their names being looked up in a
// roster of 185 tools.
func BenchmarkNames(b *testing.B) {
	ingest.DefaultConfig().TuneCollector()
	js := startBroker(b).connect()
	makeStreams(b, js)
	preload(b, js, 1)
	r := ingest.NewResolver(ingest.DefaultResolverConfig(), nil)
	first, err := events.DecodeKind(events.KindToolCall, benchCall(0))
	if err != nil {
		b.Fatal(err)
	}
	c := *first.Data.Common()
	c.ConversationID = ""
	d := &events.ToolRoster{Context: c, RosterDigest: "r"}
	for i := range 185 {
		d.Tools = append(d.Tools, events.RosterTool{Name: fmt.Sprint("search_orders_", i), Server: "orders"})
	}
	r.Enrich(&events.Event{Source: first.Source, Data: d})
	b.Run("left", func(b *testing.B) { wholePath(b, js, nameless{}, 1) })
	b.Run("looked up", func(b *testing.B) { wholePath(b, js, nameless{r}, 1) })
}
