package ingest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
)

// drawDefinition is one of few definitions, so that names, schemas and texts meet in all ways.
func drawDefinition(t *rapid.T) *events.ToolDefinition {
	name := rapid.SampledFrom([]string{"", "v1", "v2", "v3"}).Draw(t, "version")
	field := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "field")
	text := rapid.SampledFrom([]string{"", "x"}).Draw(t, "text")
	d := &events.ToolDefinition{
		Server: "s", ToolName: "t", SchemaVersion: name,
		Definition: fmt.Appendf(nil, `{"name":"t","description":%q,"inputSchema":{"type":"object","properties":{%q:{}},"required":[%q]}}`, text, field, field),
	}
	digests, err := events.Digester{}.Tool(d.Definition)
	if err != nil {
		t.Fatal(err)
	}
	d.WireDigest, d.DefinitionDigest, d.SchemaDigest = digests.Wire, digests.Definition, digests.Schema
	return d
}

// drawDocument has seen some definitions in events, and may be decided on by people.
func drawDocument(t *rapid.T, label string) *drift.Document {
	d := drift.NewDocument(drift.Key{Server: "s", Tool: "t"})
	for range rapid.IntRange(1, 6).Draw(t, label) {
		at := time.Unix(rapid.Int64Range(0, 100).Draw(t, "at"), 0)
		if _, err := d.Register(drawDefinition(t), registeredBy, at, ""); err != nil {
			t.Fatal(err)
		}
	}
	if rapid.Bool().Draw(t, "managed") {
		version := rapid.SampledFrom(d.Versions).Draw(t, "active").Version
		if _, err := d.Activate(version, drift.Edit{At: time.Unix(200, 0), By: "ada"}); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// TestTwoIngestersNeverFightOverADocument: however often each merges what it has, soon nothing changes any more, and what people decided
// stays.
func TestTwoIngestersNeverFightOverADocument(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bucket, one, other := drawDocument(t, "bucket"), drawDocument(t, "one"), drawDocument(t, "other")
		stored := rapid.Bool().Draw(t, "stored")
		managed, active := bucket.Managed, activeAt(bucket)
		for round := 0; ; round++ {
			before, changes := bucket.Clone(), 0
			for _, ours := range []*drift.Document{one, other} {
				changed, err := merge(bucket, ours, stored)
				if err != nil {
					t.Fatal(err)
				}
				if changed {
					changes++
				}
			}
			if changes == 0 {
				break
			}
			if round == 3 {
				t.Fatalf("it changes still:\n%s", cmp.Diff(before, bucket))
			}
		}
		if bucket.Managed != managed || managed && activeAt(bucket) != active {
			t.Fatalf("version %d is active, people chose %d", activeAt(bucket), active)
		}
		if err := bucket.Validate(); err != nil {
			t.Fatal(err)
		}
	})
}

// activeAt is the place of the active version among the versions: its name may change, when a definition names it.
func activeAt(d *drift.Document) int {
	return slices.IndexFunc(d.Versions, func(v drift.VersionEntry) bool { return v.State == drift.StateActive })
}
