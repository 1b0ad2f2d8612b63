package prefix

import (
	"slices"
	"strconv"
	"strings"
)

// part names one part of the prefix: a tool, the order of the tools, a system block.
type part struct{ of, name string }

// flow is how the parts of the prefix that changed at all did so along the requests with one root.
type flow struct {
	root    int
	members []int
	series  map[part]*pulse
}

// pulse is the values that one part had, one after the other. A part that is not there has the value "".
type pulse struct {
	// requests counts the requests that have the part, changes those in which it is not as in the one before.
	requests, changes int
	// pairs counts the requests that have the part as the one before did, swaps those of them with another value.
	pairs, swaps int
	values       map[string]bool
	// back says that a value came back after another.
	back bool
	// couldRead and couldReadUSD add up what could have been read where the part changed.
	couldRead    int64
	couldReadUSD *float64
}

// rhythm says how the part changes.
func (s *pulse) rhythm(minRequests int) Rhythm {
	switch {
	case s.back:
		return Flapping
	case s.pairs > 0 && s.swaps == s.pairs && s.pairs+1 >= minRequests, s.swaps >= minRequests:
		return Volatile
	}
	return Once
}

// different is how many values the part had.
func (s *pulse) different() int {
	if s.values[""] {
		return len(s.values) - 1
	}
	return len(s.values)
}

// setRhythms says of each tool and system block that changed how it does so along its chain.
func setRhythms(reqs []Observed, judged []Judged, minRequests int) {
	if !slices.ContainsFunc(judged, func(v Judged) bool { return len(v.Tools) > 0 || v.System >= 0 }) {
		return
	}
	byRoot := map[int]*flow{}
	for _, f := range flows(reqs, judged, minRequests) {
		byRoot[f.root] = f
	}
	for i := range judged {
		v := &judged[i]
		f := byRoot[v.Root]
		if f == nil {
			continue
		}
		for t := range v.Tools {
			p := part{partNames[partTools], v.Tools[t].Name}
			if v.Tools[t].Kind == ToolReordered {
				p = part{of: partOrder}
			}
			v.Tools[t].Rhythm = f.rhythm(p, minRequests)
		}
		if v.System >= 0 {
			v.SystemRhythm = f.rhythm(part{partNames[partSystem], strconv.Itoa(v.System)}, minRequests)
		}
	}
}

func (f *flow) rhythm(p part, minRequests int) Rhythm {
	if s := f.series[p]; s != nil {
		return s.rhythm(minRequests)
	}
	return Once
}

// flows follows the usable requests of a conversation, a flow for each root, in the order in which these came.
func flows(reqs []Observed, judged []Judged, minRequests int) []*flow {
	w := newWalk(reqs, judged)
	byRoot := map[int]*flow{}
	var all []*flow
	for _, i := range w.order {
		if judged[i].Verdict == NoUsage {
			continue
		}
		f := byRoot[judged[i].Root]
		if f == nil {
			f = &flow{root: judged[i].Root}
			byRoot[f.root] = f
			all = append(all, f)
		}
		f.members = append(f.members, i)
	}
	for _, f := range all {
		f.series = w.follow(f.members, minRequests)
	}
	return all
}

// walk holds each request against the nearest one along its chain that shows the same part, so that branches that take turns do not
// look like a prefix that goes back and forth.
type walk struct {
	reqs   []Observed
	judged []Judged
	// order is that of the conversation.
	order []int
	// system and tools are the requests that each is held against, -1 for none.
	system, tools []int
	// digests are the tools of each request by name; those with equal lists share them.
	digests []map[string]string
}

func newWalk(reqs []Observed, judged []Judged) *walk {
	n := len(reqs)
	w := &walk{reqs: reqs, judged: judged, order: make([]int, n), system: make([]int, n), tools: make([]int, n), digests: make([]map[string]string, n)}
	for i := range w.order {
		w.order[i] = i
	}
	slices.SortStableFunc(w.order, func(a, b int) int { return int(judged[a].Request - judged[b].Request) })
	for _, i := range w.order {
		w.system[i], w.tools[i] = -1, -1
		if at := judged[i].Compared; at >= 0 && ProviderName(reqs[at].ProviderName) == ProviderName(reqs[i].ProviderName) {
			w.system[i], w.tools[i] = at, at
			if !reqs[at].SystemKnown {
				w.system[i] = w.system[at]
			}
			if !reqs[at].ToolsKnown {
				w.tools[i] = w.tools[at]
			}
		}
		w.digests[i] = w.digestsOf(i)
	}
	return w
}

// digestsOf returns the digests of a request's tools by name.
func (w *walk) digestsOf(i int) map[string]string {
	list := w.reqs[i].Tools
	if at := w.tools[i]; at >= 0 && slices.Equal(list, w.reqs[at].Tools) {
		return w.digests[at]
	}
	m := make(map[string]string, len(list))
	for name, at := range toolIndex(list) {
		m[name] = list[at].Digest
	}
	return m
}

// follow returns the series of all parts that changed in some of the requests. One change is no rhythm, so it is not looked at closer.
func (w *walk) follow(members []int, minRequests int) map[part]*pulse {
	changes := map[part]int{}
	for _, i := range members {
		for _, p := range w.changed(i) {
			changes[p]++
		}
	}
	all := map[part]*pulse{}
	for p, n := range changes {
		if n == 1 && minRequests > 2 {
			continue
		}
		s := &pulse{values: map[string]bool{}}
		for _, i := range members {
			w.step(p, s, i)
		}
		all[p] = s
	}
	return all
}

// changed names the parts that are not as in the request that one is held against.
func (w *walk) changed(i int) []part {
	var all []part
	o := &w.reqs[i]
	if at := w.system[i]; at >= 0 && o.SystemKnown && !slices.Equal(o.System, w.reqs[at].System) {
		for n := range max(len(o.System), len(w.reqs[at].System)) {
			if p := (part{partNames[partSystem], strconv.Itoa(n)}); w.value(p, i) != w.value(p, at) {
				all = append(all, p)
			}
		}
	}
	at := w.tools[i]
	if at < 0 || !o.ToolsKnown || slices.Equal(o.Tools, w.reqs[at].Tools) {
		return all
	}
	for name, d := range w.digests[i] {
		if w.digests[at][name] != d {
			all = append(all, part{partNames[partTools], name})
		}
	}
	for name := range w.digests[at] {
		if _, here := w.digests[i][name]; !here {
			all = append(all, part{partNames[partTools], name})
		}
	}
	if w.reorders(i, at) {
		all = append(all, part{of: partOrder})
	}
	return all
}

// reorders reports whether the tools that two requests have in common stand in another order. Tools that come and go make none.
func (w *walk) reorders(i, at int) bool {
	return len(reordered(w.reqs[i].Tools, toolIndex(w.reqs[at].Tools))) > 0
}

// value returns a part of a request.
func (w *walk) value(p part, i int) string {
	o := &w.reqs[i]
	switch p.of {
	case partNames[partTools]:
		return w.digests[i][p.name]
	case partOrder:
		var b strings.Builder
		for _, t := range o.Tools {
			b.WriteString(t.Name + "\x00")
		}
		return b.String()
	}
	if n, err := strconv.Atoi(p.name); err == nil && n < len(o.System) {
		return o.System[n]
	}
	return ""
}

// step adds one request to a series.
func (w *walk) step(p part, s *pulse, i int) {
	shown, before := w.reqs[i].ToolsKnown, w.tools
	if p.of == partNames[partSystem] {
		shown, before = w.reqs[i].SystemKnown, w.system
	}
	if !shown {
		return
	}
	at, value := before[i], w.value(p, i)
	known := s.values[value]
	s.values[value] = true
	if value != "" {
		s.requests++
	}
	if at < 0 {
		return
	}
	was := w.value(p, at)
	both := value != "" && was != ""
	if both {
		s.pairs++
	}
	if value == was || p.of == partOrder && !w.reorders(i, at) {
		return
	}
	s.changes++
	s.couldRead = AddTokens(s.couldRead, w.judged[i].CouldRead)
	addUSD(&s.couldReadUSD, w.judged[i].CouldReadUSD)
	if both {
		s.swaps++
	}
	s.back = s.back || known && w.had(p, before, at, value)
}

// had reports whether the part had a value at a request or along its chain.
func (w *walk) had(p part, before []int, at int, value string) bool {
	for ; at >= 0; at = before[at] {
		if w.value(p, at) == value {
			return true
		}
	}
	return false
}
