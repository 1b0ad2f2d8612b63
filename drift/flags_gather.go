package drift

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// flagKey names a flag: one a release and rule, or one a tool where there is no release.
type flagKey struct {
	listKey
	rule, release, tool string
}

// flagger gathers flags.
type flagger struct {
	of       map[flagKey]*DefinitionFlag
	releases map[listKey][]string
}

// compare flags a pair by what changed.
func (f *flagger) compare(p *pair, texts map[string]jsontext.Value) {
	c, err := CompareTools(texts[p.was.Digest], texts[p.is.Digest], CompareOptions{})
	if err != nil {
		c = &Comparison{Class: UnknownClass}
	}
	stated, before := cmp.Or(p.is.Version, statedVersion(texts[p.is.Digest])), cmp.Or(p.was.Version, statedVersion(texts[p.was.Digest]))
	schema := p.was.Schema != p.is.Schema
	switch {
	case p.again && (p.is.Release != "" || !schema):
		f.add(FlagRugPull, p, before, stated, c)
	case schema && (stated != "" && stated == before || stated == "" && p.is.Release == ""):
		f.add(FlagUnversioned, p, before, stated, c)
	}
	if schema && c.Class == Breaking && !p.again && f.sameMajor(p, before, stated) {
		f.add(FlagBreakingMinor, p, before, stated, c)
	}
}

// sameMajor reports that neither the release nor the stated version has a new major number, and one of them has a number.
func (f *flagger) sameMajor(p *pair, before, stated string) bool {
	was := f.previous(p)
	if MajorRaised(was, p.is.Release) || MajorRaised(before, stated) {
		return false
	}
	return bothNumbered(was, p.is.Release) && was != p.is.Release || bothNumbered(before, stated) && before != stated
}

func bothNumbered(a, b string) bool {
	_, x := major(a)
	_, y := major(b)
	return x && y
}

// previous names the release before a pair's newer one: a definition may be the same in many releases before it changes.
func (f *flagger) previous(p *pair) string {
	all := f.releases[p.listKey]
	for i := slices.Index(all, p.is.Release) - 1; i >= 0; i-- {
		if all[i] != p.is.Release && all[i] != "" {
			return all[i]
		}
	}
	return p.was.Release
}

// statedVersion is the version that a definition states itself.
func statedVersion(definition jsontext.Value) string {
	for _, v := range statedVersions([]jsontext.Value{definition}) {
		return v
	}
	return ""
}

// add puts a tool's change to its flag; of a tool without a release, the versions that it states name what changed.
func (f *flagger) add(rule string, p *pair, before, stated string, c *Comparison) {
	k := flagKey{p.listKey, rule, p.is.Release, ""}
	previous := f.previous(p)
	if p.is.Release == "" {
		k.release, k.tool, previous = stated, p.is.Tool, cmp.Or(before, p.was.Release)
	}
	g := f.flag(k, previous, p.is.At)
	g.Tools = append(g.Tools, p.is.Tool)
	g.Changes = append(g.Changes, gravest(p.is.Tool, c))
}

func (f *flagger) flag(k flagKey, previous string, at time.Time) *DefinitionFlag {
	g := f.of[k]
	if g == nil {
		g = &DefinitionFlag{Rule: k.rule, Server: k.server, Agent: k.agent, Release: k.release, Previous: previous, single: k.tool != ""}
		f.of[k] = g
	}
	if at = at.UTC(); at.After(g.At) {
		g.At = at
	}
	return g
}

// removed flags tools that a release no longer has.
func (f *flagger) removed(d *DefinitionChange) {
	if d.Removed == 0 || !bothNumbered(d.From, d.To) || MajorRaised(d.From, d.To) || d.From == d.To {
		return
	}
	g := f.flag(flagKey{listKey{d.Server, d.Agent}, FlagBreakingMinor, d.To, ""}, d.From, d.At)
	for _, tool := range d.RemovedTools {
		g.Tools = append(g.Tools, tool)
		g.Changes = append(g.Changes, FlaggedChange{Tool: tool, Text: "removed"})
	}
}

// gravest says the first of the gravest changes of a tool.
func gravest(tool string, c *Comparison) FlaggedChange {
	best := -1
	for i := range c.Changes {
		ch := &c.Changes[i]
		if best < 0 || weight(ch) > weight(&c.Changes[best]) {
			best = i
		}
	}
	if best < 0 {
		return FlaggedChange{Tool: tool, Text: "changed in a way that can't be compared"}
	}
	ch := &c.Changes[best]
	return FlaggedChange{Tool: tool, Path: ch.Path, Text: ch.Text()}
}

// weight orders changes: what can break a call first, by class.
func weight(c *Change) int {
	w := c.Class.rank()
	if c.counts() {
		w += 3
	}
	return w
}

// sorted lists the flags by whose they are, then by time, with their tools in order.
func (f *flagger) sorted() []DefinitionFlag {
	out := []DefinitionFlag{}
	for _, g := range f.of {
		slices.Sort(g.Tools)
		g.Tools = slices.Compact(g.Tools)
		slices.SortStableFunc(g.Changes, func(x, y FlaggedChange) int { return cmp.Compare(x.Tool, y.Tool) })
		g.Changes = g.Changes[:min(len(g.Changes), maxFlagChanges)]
		out = append(out, *g)
	}
	slices.SortFunc(out, func(x, y DefinitionFlag) int {
		return cmp.Or(cmp.Compare(x.Server, y.Server), cmp.Compare(x.Agent, y.Agent), x.At.Compare(y.At), cmp.Compare(x.Release, y.Release),
			cmp.Compare(x.Rule, y.Rule), cmp.Compare(strings.Join(x.Tools, ","), strings.Join(y.Tools, ",")))
	})
	return out
}
