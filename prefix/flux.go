package prefix

import (
	"slices"
	"strings"
)

// Flux is one part of the prefix that keeps changing along a chain of requests.
type Flux struct {
	Kind Rhythm `json:"kind"`
	// Part is tools, tool_order or system.
	Part string `json:"part"`
	// Name is the tool's name, or the index of the system block.
	Name string `json:"name,omitzero"`
	// Requests counts the requests that had the part, Changes the times it changed, came or went, Values how many different ones it
	// had.
	Requests int `json:"requests"`
	Changes  int `json:"changes"`
	Values   int `json:"values"`
	// CouldRead adds up [Judged.CouldRead] of the requests at which the part changed: what could have come from the cache, beside what
	// counts as lost. CouldReadUSD is nil where nothing of its cost is known.
	CouldRead    int64    `json:"could_read_tokens,omitzero"`
	CouldReadUSD *float64 `json:"could_read_usd,omitzero"`
}

const partOrder = "tool_order"

// FindFlux returns the parts of the prefix that keep changing along the requests of one conversation, as [Judge] judged them by the same
// settings.
func FindFlux(reqs []Observed, judged []Judged, s Settings) []Flux {
	return findFlux(reqs, judged, s.FluxRequests)
}

// findFlux looks for parts of the prefix that keep changing along each chain of requests: those with one [Judged.Root].
func findFlux(reqs []Observed, judged []Judged, minRequests int) []Flux {
	var all []Flux
	for _, f := range flows(reqs, judged, minRequests) {
		if len(f.members) < minRequests {
			continue
		}
		for _, of := range [...]string{partNames[partSystem], partNames[partTools], partOrder} {
			all = append(all, f.flux(of, minRequests)...)
		}
	}
	return all
}

// flux names what is volatile or flapping of one part, in order of the names.
func (f *flow) flux(of string, minRequests int) []Flux {
	var found []Flux
	for p, s := range f.series {
		if kind := s.rhythm(minRequests); p.of == of && (kind == Volatile || kind == Flapping) {
			found = append(found, Flux{
				Kind: kind, Part: of, Name: p.name, Requests: s.requests, Changes: s.changes, Values: s.different(),
				CouldRead: s.couldRead, CouldReadUSD: s.couldReadUSD,
			})
		}
	}
	slices.SortFunc(found, func(a, b Flux) int { return strings.Compare(a.Name, b.Name) })
	return found
}
