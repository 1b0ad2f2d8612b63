package drift

import (
	"cmp"
	"context"
	_ "embed" // for the queries
	"slices"
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
