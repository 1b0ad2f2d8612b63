package prefix

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/tooltrail/tooltrail/events"
)

//go:embed roster_definitions.sql
var rosterDefinitionsSQL string

// maxDefinitions bounds the definitions that are read to find places; where more are needed, some places are known by their tool alone.
const maxDefinitions = 5000

// pendingPlaces are places that wait for the definitions that say which byte they are.
type pendingPlaces struct {
	wanted map[string]bool
	all    []pendingPlace
}

type pendingPlace struct {
	place         *Place
	before, after []events.PrefixTool
}

// add remembers a place to be found between two arrays. The pointer must stay good until find.
func (p *pendingPlaces) add(place *Place, before, after []events.PrefixTool) {
	*place = definitions{}.firstPlace(before, after)
	if place.Known == PlaceNone {
		return
	}
	if p.wanted == nil {
		p.wanted = map[string]bool{}
	}
	p.all = append(p.all, pendingPlace{place, before, after})
	for _, list := range [][]events.PrefixTool{before, after} {
		for _, t := range list[:min(place.Tool+1, len(list))] {
			if len(p.wanted) < maxDefinitions {
				p.wanted[t.Digest] = true
			}
		}
	}
}

// find reads the definitions and finds the bytes.
func (p *pendingPlaces) find(ctx context.Context, q Querier) error {
	if len(p.wanted) == 0 {
		return nil
	}
	digests := make([]string, 0, len(p.wanted))
	for d := range p.wanted {
		digests = append(digests, d)
	}
	known := definitions{}
	var row struct {
		Wire string `ch:"wire"`
		Raw  string `ch:"raw"`
	}
	err := q.Each(ctx, rosterDefinitionsSQL, []any{digests}, &row, func() error {
		if raw, err := events.Unmarked([]byte(row.Raw)); err == nil {
			known[row.Wire] = raw
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read definitions of tools that changed: %w", err)
	}
	for _, x := range p.all {
		*x.place = known.firstPlace(x.before, x.after)
	}
	return nil
}
