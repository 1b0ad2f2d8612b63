package drift

import (
	"cmp"
	"context"
	_ "embed" // for the queries
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

//go:embed definitions_seen.sql
var definitionsSeenSQL string

//go:embed definitions_text.sql
var definitionsTextSQL string

const (
	// maxCompared is how many pairs of definitions one run compares, the newest; the others are counted.
	maxCompared = 2_000
	// maxComparing is how long that may take; what is left then is counted.
	maxComparing = 15 * time.Second
	// comparedAtOnce is how many pairs' definitions are held in memory.
	comparedAtOnce = 64
	// maxFlagChanges is how many changes a flag tells, one a tool.
	maxFlagChanges = 20
)

// DefinitionFlag is something about the definitions of a release, or of a tool without one, that its version does not say.
type DefinitionFlag struct {
	// Rule is breaking_in_minor, change_without_version or rug_pull.
	Rule   string `json:"rule"`
	Server string `json:"server"`
	Agent  string `json:"agent,omitzero"`
	// Release is what changed and Previous what it is compared with; of a tool without a release, the versions that it states itself.
	Release  string    `json:"release"`
	Previous string    `json:"previous"`
	At       time.Time `json:"at"`
	// Tools are those that it concerns; Changes says where, for the first of them.
	Tools   []string        `json:"tools"`
	Changes []FlaggedChange `json:"changes"`

	// single says that it is of one tool without a release.
	single bool
}

// FlaggedChange is the gravest change of one tool.
type FlaggedChange struct {
	Tool string `json:"tool"`
	// Path is a JSON pointer as in [Change]; empty where the tool was removed.
	Path string `json:"path"`
	Text string `json:"text"`
}

// seenRow is a row of definitions_seen.sql.
type seenRow struct {
	Server  string    `ch:"server_name"`
	Agent   string    `ch:"agent"`
	Tool    string    `ch:"tool"`
	Release string    `ch:"release_name"`
	Version string    `ch:"version"`
	Digest  string    `ch:"digest"`
	Schema  string    `ch:"schema"`
	At      time.Time `ch:"at"`
	First   uint64    `ch:"first"`
}

// pair is two definitions of a tool, one seen after the other.
type pair struct {
	listKey
	was, is seenRow
	// again says that the release, or the stated version where there is none, had another definition before.
	again bool
}

// flags compares each definition that was first seen in the window with the one before it.
func (a *analysis) flags(ctx context.Context) error {
	pairs, err := a.pairs(ctx)
	if err != nil {
		return err
	}
	slices.SortStableFunc(pairs, func(x, y pair) int { return y.is.At.Compare(x.is.At) })
	if over := len(pairs) - maxCompared; over > 0 {
		a.report.FlagsUnchecked, pairs = over, pairs[:maxCompared]
	}
	f := flagger{of: map[flagKey]*DefinitionFlag{}, releases: a.releases}
	until := time.Now().Add(maxComparing)
	for chunk := range slices.Chunk(pairs, comparedAtOnce) {
		if time.Now().After(until) {
			a.report.FlagsUnchecked += len(chunk)
			continue
		}
		texts, err := a.texts(ctx, chunk)
		if err != nil {
			return err
		}
		for i := range chunk {
			f.compare(&chunk[i], texts)
		}
	}
	for i := range a.report.Definitions {
		f.removed(&a.report.Definitions[i])
	}
	a.report.Flags = f.sorted()
	for i := range a.report.Flags {
		a.flagFinding(&a.report.Flags[i])
	}
	return nil
}

// pairs lists what to compare: definitions that differ from the one before them in something that a flag is about.
func (a *analysis) pairs(ctx context.Context) ([]pair, error) {
	var out []pair
	var row, last seenRow
	seen := map[string]seenRow{}
	err := a.q.Each(ctx, definitionsSeenSQL, a.window.Args()[1:], &row, func() error {
		if row.Server != last.Server || row.Agent != last.Agent || row.Tool != last.Tool {
			clear(seen)
			last = seenRow{}
		}
		p := pair{listKey{row.Server, row.Agent}, last, row, false}
		if label := cmp.Or(row.Release, row.Version); label != "" {
			before, known := seen[label]
			if p.again = known && before.Digest != row.Digest && before.At.Before(row.At); p.again {
				p.was = before
			}
			seen[label] = row
		}
		if p.isNew(a.window.From) {
			out = append(out, p)
		}
		last = row
		return nil
	})
	return out, err
}

// isNew reports that a pair differs in something that a flag is about, since a time.
func (p *pair) isNew(from time.Time) bool {
	return p.was.Digest != "" && p.was.Digest != p.is.Digest && !p.is.At.Before(from) && (p.again || p.was.Schema != p.is.Schema)
}

// texts reads the definitions of pairs, by digest.
func (a *analysis) texts(ctx context.Context, pairs []pair) (map[string]jsontext.Value, error) {
	var digests, tools []string
	for i := range pairs {
		digests = append(digests, pairs[i].was.Digest, pairs[i].is.Digest)
		tools = append(tools, pairs[i].is.Tool)
	}
	texts := map[string]jsontext.Value{}
	var row struct {
		Digest string `ch:"digest"`
		Text   string `ch:"text"`
	}
	err := a.q.Each(ctx, definitionsTextSQL, []any{tools, digests}, &row, func() error {
		texts[row.Digest] = jsontext.Value(row.Text)
		return nil
	})
	return texts, err
}

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
		f.add(FlagRugPull, p, stated, c)
	case schema && (stated != "" && stated == before || stated == "" && p.is.Release == ""):
		f.add(FlagUnversioned, p, stated, c)
	}
	if schema && c.Class == Breaking && !p.again && f.sameMajor(p, before, stated) {
		f.add(FlagBreakingMinor, p, stated, c)
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

// add puts a tool's change to its flag.
func (f *flagger) add(rule string, p *pair, stated string, c *Comparison) {
	k := flagKey{p.listKey, rule, p.is.Release, ""}
	previous := f.previous(p)
	if p.is.Release == "" {
		k.release, k.tool, previous = stated, p.is.Tool, cmp.Or(p.was.Version, p.was.Release)
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
