package prefix

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tooltrail/tooltrail/events"
)


// Flux is one part of the prefix that keeps changing along a chain of requests.
type Flux struct {
	Kind Rhythm `json:"kind"`
	// Part is tools, tool_order or system.
	Part string `json:"part"`
	// Name is the tool's name, or the index of the system block.
	Name string `json:"name,omitzero"`
	// Requests counts the requests that had the part, Changes the times it changed, Values how many different ones it had.
	Requests int `json:"requests"`
	Changes  int `json:"changes"`
	Values   int `json:"values"`
}

const partOrder = "tool_order"

// findFlux looks for parts of the prefix that keep changing along each chain of requests: those with one [Judged.Root].
func findFlux(reqs []Observed, judged []Judged, minRequests int) []Flux {
	var all []Flux
	for _, chain := range chains(reqs, judged) {
		if len(chain) >= minRequests {
			all = append(all, systemFlux(chain, minRequests)...)
			all = append(all, toolFlux(chain, minRequests)...)
		}
	}
	return all
}

// chains groups the usable requests by root, each in the order of the conversation.
func chains(reqs []Observed, judged []Judged) [][]*Observed {
	order := make([]int, len(reqs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(judged[a].Request - judged[b].Request) })
	place := map[int]int{}
	var all [][]*Observed
	for _, i := range order {
		if judged[i].Verdict == NoUsage {
			continue
		}
		at, ok := place[judged[i].Root]
		if !ok {
			at = len(all)
			place[judged[i].Root] = at
			all = append(all, nil)
		}
		all[at] = append(all[at], &reqs[i])
	}
	return all
}

func systemFlux(chain []*Observed, minRequests int) []Flux {
	blocks := map[string]*series{}
	for _, o := range chain {
		if !o.SystemKnown {
			continue
		}
		for i, d := range o.System {
			at(blocks, strconv.Itoa(i)).add(d)
		}
	}
	return judgeSeries(partNames[partSystem], blocks, minRequests)
}

func toolFlux(chain []*Observed, minRequests int) []Flux {
	tools, order := map[string]*series{}, map[string]*series{}
	var before *Observed
	for _, o := range chain {
		switch {
		case !o.ToolsKnown:
		case before != nil && slices.Equal(o.Tools, before.Tools):
			stay(tools)
			stay(order)
		default:
			addTools(tools, order, o.Tools)
		}
		if o.ToolsKnown {
			before = o
		}
	}
	return append(judgeSeries(partNames[partTools], tools, minRequests), judgeSeries(partOrder, order, minRequests)...)
}

// addTools notes one list of tools: each one's digest, "" for those that are gone, and the order of their names.
func addTools(tools, order map[string]*series, list []events.PrefixTool) {
	here := toolIndex(list)
	for name, s := range tools {
		if _, ok := here[name]; !ok {
			s.add("")
		}
	}
	var names strings.Builder
	for name, i := range here {
		at(tools, name).add(list[i].Digest)
	}
	for _, t := range list {
		names.WriteString(t.Name + "\x00")
	}
	at(order, "").add(names.String())
}

// series is the values that one part had, one after the other.
type series struct {
	n, changes int
	last       string
	seen       map[string]bool
	// back says that a value came back after another.
	back bool
}

func at(m map[string]*series, name string) *series {
	s := m[name]
	if s == nil {
		s = &series{seen: map[string]bool{}}
		m[name] = s
	}
	return s
}

func (s *series) add(v string) {
	if s.n > 0 && s.last != v {
		s.changes++
		s.back = s.back || s.seen[v]
	}
	s.n, s.last = s.n+1, v
	s.seen[v] = true
}

// stay notes that all parts are as they were.
func stay(all map[string]*series) {
	for _, s := range all {
		s.n++
	}
}

// judgeSeries names the parts that are volatile or flapping, in order of their names. The order of the tools is not called
// volatile: tools that are loaded one after the other may change it every time.
func judgeSeries(part string, all map[string]*series, minRequests int) []Flux {
	var found []Flux
	for name, s := range all {
		f := Flux{Part: part, Name: name, Requests: s.n, Changes: s.changes, Values: len(s.seen)}
		switch {
		case s.back:
			f.Kind = Flapping
		case s.n >= minRequests && s.changes == s.n-1 && part != partOrder:
			f.Kind = Volatile
		default:
			continue
		}
		found = append(found, f)
	}
	slices.SortFunc(found, func(a, b Flux) int { return strings.Compare(a.Name, b.Name) })
	return found
}
