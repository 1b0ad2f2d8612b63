package prefix

import (
	"cmp"
	"slices"
)

// FluxRisk is a part of the prefix that keeps changing in a conversation whose model was never seen to read it from the cache: nothing counts
// as lost, since nothing was to be expected, and this may be why.
type FluxRisk struct {
	Conversation string `json:"conversation"`
	Agent        string `json:"agent,omitzero"`
	// Kind, Part and Names are those of a [Flux]; several tools or system blocks that change in one way are one risk.
	Kind  Rhythm   `json:"kind"`
	Part  string   `json:"part"`
	Names []string `json:"names"`
	// Requests and Changes are those of the part that could have read most.
	Requests int `json:"requests"`
	Changes  int `json:"changes"`
	// CouldRead is how many tokens could have been read from the cache where the part changed, had it not, and CouldReadUSD what they cost more
	// for it; nil where that is not known. They are part of no sum of what was lost.
	CouldRead    int64    `json:"could_read_tokens"`
	CouldReadUSD *float64 `json:"could_read_usd"`
}

// MaxFluxRisks bounds the risks of a report: those about the most tokens are kept.
const MaxFluxRisks = 200

// fluxGroups groups what keeps changing in a conversation by how and what: tools, their order, the system prompt.
func fluxGroups(c *Conversation) [][]Flux {
	var all [][]Flux
	for _, kind := range []Rhythm{Volatile, Flapping} {
		for _, part := range []string{partNames[partTools], partOrder, partNames[partSystem]} {
			if group := fluxOf(c, kind, part); len(group) > 0 {
				all = append(all, group)
			}
		}
	}
	return all
}

// mostRead returns the part of a group that could have read most. Parts change in the same requests, so that adding them up would count
// tokens twice.
func mostRead(group []Flux) *Flux {
	best := &group[0]
	for i := range group {
		if group[i].CouldRead > best.CouldRead {
			best = &group[i]
		}
	}
	return best
}

// FluxRisks returns what keeps changing in a conversation and could have been read, by the groups of its findings.
func FluxRisks(c *Conversation) []FluxRisk {
	var all []FluxRisk
	for _, group := range fluxGroups(c) {
		most := mostRead(group)
		if most.CouldRead == 0 {
			continue
		}
		r := FluxRisk{
			Conversation: c.ID, Agent: c.Agent, Kind: most.Kind, Part: most.Part, Names: []string{}, Requests: most.Requests, Changes: most.Changes,
			CouldRead: most.CouldRead, CouldReadUSD: most.CouldReadUSD,
		}
		for _, x := range group {
			if x.Name != "" {
				r.Names = append(r.Names, x.Name)
			}
		}
		all = append(all, r)
	}
	return all
}

// addFluxRisks adds what could have been read in a conversation, and now and then drops the least beyond the limit.
func (r *Report) addFluxRisks(c *Conversation) {
	r.FluxRisks = append(r.FluxRisks, FluxRisks(c)...)
	if len(r.FluxRisks) > 2*MaxFluxRisks {
		r.settleFluxRisks()
	}
}

// settleFluxRisks sorts the risks and cuts them to the limit.
func (r *Report) settleFluxRisks() {
	slices.SortStableFunc(r.FluxRisks, func(a, b FluxRisk) int {
		return cmp.Or(-cmp.Compare(a.CouldRead, b.CouldRead), cmp.Compare(a.Conversation, b.Conversation))
	})
	if n := len(r.FluxRisks); n > MaxFluxRisks {
		r.FluxRisks = slices.Clip(r.FluxRisks[:MaxFluxRisks])
	}
}
