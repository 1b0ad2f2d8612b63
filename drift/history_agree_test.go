package drift_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/events/eventstest"
)

func TestEveryReleaseOfARealHistoryAgreesWithACounterWrittenApart(t *testing.T) {
	path := eventstest.SharedFile(t, "mcp-tool-history.jsonl")
	begin := time.Now()
	releases, log := changelogOf(t, path)
	t.Logf("the product: %d releases in %s", len(releases), time.Since(begin).Round(time.Millisecond))
	begin = time.Now()
	want := countReleases(t, path)
	t.Logf("the counter: %s", time.Since(begin).Round(time.Millisecond))
	if len(log.Entries) != len(want)+1 {
		t.Fatalf("%d releases, want %d", len(log.Entries), len(want)+1)
	}
	total := map[string]int{}
	for i, w := range want {
		if diff := cmp.Diff(w, countedOf(t, releases[i:i+2], &log.Entries[i+1]), cmp.AllowUnexported(counted{})); diff != "" {
			t.Errorf("%s -> %s: the counter's -, the product's +\n%s", w.from, w.to, diff)
		}
		for kind, n := range w.kinds {
			total[kind] += n
		}
		t.Logf("%-8s %-8s %3d %3d +%d -%d w%d d%d s%d %v", w.from, w.to, w.before, w.after, w.added, w.removed, w.wire, w.definition, w.schema, w.kinds)
	}
	for _, kind := range slices.Sorted(maps.Keys(total)) {
		t.Logf("%4d %s", total[kind], kind)
	}
}

// changelogOf takes the product's path from a file to a changelog in Markdown.
func changelogOf(t *testing.T, path string) ([]drift.Release, *drift.Changelog) {
	t.Helper()
	releases := releasesOf(t, path)
	log, err := drift.NewChangelog(releases, drift.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := log.Markdown(io.Discard); err != nil {
		t.Fatal(err)
	}
	return releases, log
}

func releasesOf(t *testing.T, path string) []drift.Release {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	releases, err := drift.ReadReleases(raw)
	if err != nil {
		t.Fatal(err)
	}
	return releases
}

// countedOf is what the product says of a release, in the counter's terms.
func countedOf(t *testing.T, releases []drift.Release, e *drift.Entry) counted {
	t.Helper()
	c := counted{from: e.Previous, to: e.Release, before: e.Before, after: e.After, added: len(e.Added), removed: len(e.Removed), kinds: map[string]int{}}
	was, is := digestsOf(t, releases[0]), digestsOf(t, releases[1])
	for name, d := range is {
		if old, ok := was[name]; ok {
			c.wire += one(old.Wire != d.Wire)
			c.definition += one(old.Definition != d.Definition)
			c.schema += one(old.Schema != d.Schema)
		}
	}
	for _, changed := range e.Changed {
		for _, ch := range changed.Changes {
			c.kinds[fmt.Sprintf("%s %s %s", ch.Class, ch.Kind, ch.Aspect)]++
		}
	}
	return c
}

func digestsOf(t *testing.T, r drift.Release) map[string]events.ToolDigests {
	t.Helper()
	out := map[string]events.ToolDigests{}
	for _, raw := range r.Tools {
		d, err := events.Digester{}.Tool(raw)
		if err != nil {
			t.Fatal(err)
		}
		tool, err := events.ParseTool(raw)
		if err != nil {
			t.Fatal(err)
		}
		out[tool.Name] = d
	}
	return out
}

func TestDigestsOfARealHistoryAgreeWithDigestsMadeApart(t *testing.T) {
	path := eventstest.SharedFile(t, "mcp-tool-history.jsonl")
	tools := 0
	for _, r := range releasesOf(t, path) {
		raws := make([]json.RawMessage, len(r.Tools))
		for i := range r.Tools {
			raws[i] = json.RawMessage(r.Tools[i])
		}
		want := countedTools(t, raws)
		for name, d := range digestsOf(t, r) {
			tools++
			if w := want[name]; d.Wire != w.wire || d.Definition != w.definition || d.Schema != w.schema {
				t.Errorf("%s %s: digests %+v, want %s %s %s", r.Name, name, d, w.wire, w.definition, w.schema)
			}
		}
	}
	t.Logf("%d definitions", tools)
}
