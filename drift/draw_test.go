package drift

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tooltrail/tooltrail/events"
)

// Flags of TestChangesAreDrawnForJudgingByHand. Run it with, for instance
//
//	go test ./drift -run DrawnForJudging -v -draw 40 -draw-seed 20261130
//
// and again with -draw-classes when the judgement is written down.
var (
	drawCount   = flag.Int("draw", 0, "how many changes of the real history to draw for judging by hand")
	drawSeed    = flag.Uint64("draw-seed", 20261130, "seed of the draw")
	drawClasses = flag.Bool("draw-classes", false, "print how the changes drawn are classed, and nothing else of them")
)

// drawn is a change, with what it is judged by.
type drawn struct {
	from, to, tool string
	change         Change
	before, after  any
}

// allChanges lists every change that a changelog of the real history reports, in its order.
func allChanges(t *testing.T) []drawn {
	releases := readHistory(t)
	log, err := NewChangelog(releases, ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var out []drawn
	for i, e := range log.Entries {
		for _, c := range e.Changed {
			before, after := toolNamed(t, releases[i-1], c.Tool), toolNamed(t, releases[i], c.Tool)
			for _, ch := range c.Changes {
				out = append(out, drawn{e.Previous, e.Release, c.Tool, ch, before, after})
			}
		}
		for _, name := range e.Removed {
			out = append(out, drawn{from: e.Previous, to: e.Release, tool: name, change: Change{Kind: "tool_removed", Aspect: AspectInput, Class: Breaking}})
		}
		if !e.First {
			for _, name := range e.Added {
				out = append(out, drawn{from: e.Previous, to: e.Release, tool: name, change: Change{Kind: "tool_added", Aspect: AspectInput, Class: NonBreaking}})
			}
		}
	}
	return out
}

func toolNamed(t *testing.T, r Release, name string) any {
	for _, raw := range r.Tools {
		tool, err := events.ParseTool(raw)
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if tool.Name == name && json.Unmarshal(raw, &v) == nil {
			return v
		}
	}
	t.Fatalf("%s has no %s", r.Name, name)
	return nil
}

// stratum is the part of the changes that one belongs to: texts and hints are many and alike, so each aspect has its share.
func (d *drawn) stratum() string {
	switch {
	case strings.HasPrefix(d.change.Kind, "tool_"):
		return "3 tools"
	case d.change.Aspect == AspectDescription || d.change.Aspect == AspectAnnotation:
		return "2 texts and hints"
	}
	return "1 arguments"
}

// draw takes n changes: of 40, 34 that touch arguments (one of each kind first, the rest of any), 3 of texts and hints and 3 of whole tools.
func draw(all []drawn, n int, seed uint64) []drawn {
	rnd := rand.New(rand.NewPCG(seed, 0))
	parts := map[string][]drawn{}
	for _, d := range all {
		parts[d.stratum()] = append(parts[d.stratum()], d)
	}
	share := map[string]int{"2 texts and hints": n * 3 / 40, "3 tools": n * 3 / 40}
	share["1 arguments"] = n - share["2 texts and hints"] - share["3 tools"]
	var out []drawn
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		part := parts[name]
		rnd.Shuffle(len(part), func(i, j int) { part[i], part[j] = part[j], part[i] })
		part = kindsFirst(part)
		part = part[:min(len(part), share[name])]
		slices.SortStableFunc(part, func(a, b drawn) int {
			return cmp.Or(cmp.Compare(a.tool, b.tool), cmp.Compare(a.to, b.to), cmp.Compare(a.change.Path, b.change.Path))
		})
		out = append(out, part...)
	}
	return out
}

// kindsFirst moves the first change of each kind to the front.
func kindsFirst(all []drawn) []drawn {
	seen := map[string]bool{}
	var first, rest []drawn
	for _, d := range all {
		if seen[d.change.Kind] {
			rest = append(rest, d)
			continue
		}
		seen[d.change.Kind] = true
		first = append(first, d)
	}
	return append(first, rest...)
}

func TestChangesAreDrawnForJudgingByHand(t *testing.T) {
	all := allChanges(t)
	sizes := map[string]int{}
	for i := range all {
		sizes[all[i].stratum()]++
	}
	t.Logf("%d changes: %v", len(all), sizes)
	for i, d := range draw(all, *drawCount, *drawSeed) {
		head := fmt.Sprintf("%2d %s@%s->%s %q %s", i+1, d.tool, d.from, d.to, d.change.Path, d.change.Kind)
		if *drawClasses {
			t.Logf("%s: %s", head, d.change.Class)
			continue
		}
		t.Logf("%s %s -> %s\n   old: %s\n   new: %s", head, d.change.Old, d.change.New, fragment(d.before, d.change.Path), fragment(d.after, d.change.Path))
	}
}

// fragment shows what a change is judged by: what the path leads to, the names and types beside it, and what they require.
func fragment(definition any, path string) string {
	m, _ := definition.(map[string]any)
	schema := m["inputSchema"]
	if path == "" || m == nil {
		return "-"
	}
	here := at(schema, path)
	if strings.HasPrefix(path, "/annotations") {
		here = at(definition, path)
	}
	owner := ""
	if i := strings.LastIndex(path, "/properties/"); i >= 0 {
		owner = path[:i]
	}
	of := schema
	if owner != "" {
		of = at(schema, owner)
	}
	var names []string
	properties, _ := at(of, "/properties").(map[string]any)
	for name, p := range properties {
		names = append(names, name+":"+jsonText(at(p, "/type")))
	}
	slices.Sort(names)
	return fmt.Sprintf("%s, in %v required %s additionalProperties %s", jsonText(here), names, jsonText(at(of, "/required")), jsonText(at(of, "/additionalProperties")))
}
