package prefix

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/tooltrail/tooltrail/events"
)

//go:embed roster_arrays.sql
var rosterArraysSQL string

// arrayRow is a row of roster_arrays.sql.
type arrayRow struct {
	Conversation   string   `ch:"conversation"`
	Agent          string   `ch:"agent"`
	Number         int64    `ch:"number"`
	Why            string   `ch:"why"`
	WhyNames       []string `ch:"why_names"`
	ProviderBefore string   `ch:"provider_before"`
	ProviderAfter  string   `ch:"provider_after"`
	ModelBefore    string   `ch:"model_before"`
	ModelAfter     string   `ch:"model_after"`
	Tokens         *uint64  `ch:"tokens"`
	USD            *float64 `ch:"usd"`
	Roster         string   `ch:"roster"`
	NamesBefore    []string `ch:"names_before"`
	WiresBefore    []string `ch:"wires_before"`
	NamesAfter     []string `ch:"names_after"`
	WiresAfter     []string `ch:"wires_after"`
}

// changedArray is a change with both arrays.
type changedArray struct {
	ArrayChange
	before, after []events.PrefixTool
}

// arrays looks for tools arrays that changed along a conversation. Which request is to be held against which is what verdicts say.
func (w *rosterWatch) arrays(ctx context.Context, q Querier, args []any) error {
	if !w.stored {
		return nil
	}
	var all []changedArray
	var row arrayRow
	err := q.Each(ctx, rosterArraysSQL, append(slices.Clone(args), maxRosters), &row, func() error {
		if c, ok := row.change(w.known); ok {
			all = append(all, c)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("watch tools arrays: %w", err)
	}
	slices.SortStableFunc(all, func(a, b changedArray) int { return -cmp.Compare(deref(a.TokensLost), deref(b.TokensLost)) })
	w.report.ToolArrays = make([]ArrayChange, len(all)) // places point into it
	for i := range all {
		w.report.ToolArrays[i] = all[i].ArrayChange
		w.places.add(&w.report.ToolArrays[i].Place, all[i].before, all[i].after)
	}
	return nil
}

// change says how the row's array changed, and false where it did not, or is in the form of another provider, which says nothing.
func (r *arrayRow) change(known KnownTools) (changedArray, bool) {
	before, after := zipTools(r.NamesBefore, r.WiresBefore), zipTools(r.NamesAfter, r.WiresAfter)
	was, is := cacheNameOf(r.ProviderBefore, r.ModelBefore), cacheNameOf(r.ProviderAfter, r.ModelAfter)
	if was.provider != is.provider || slices.Equal(before, after) {
		return changedArray{}, false
	}
	c := ArrayChange{
		Conversation: strings.Clone(r.Conversation), Agent: strings.Clone(r.Agent), Request: r.Number, Cause: CauseKind(strings.Clone(r.Why)),
		ModelChanged: !was.same(is), Before: arrayDigest(before), After: arrayDigest(after),
	}
	if !c.ModelChanged {
		c.TokensLost, c.CostUSD = signed(r.Tokens), r.USD
	}
	deferred := known.Deferred[r.Roster]
	c.Deferred = anyDeferred(deferred)
	c.judge(before, after, r.WhyNames, deferred)
	return changedArray{c, before, after}, true
}

// judge says how an array became another and whether it may. What the cause explains is left out of both first: one change that is explained
// makes no other right.
func (c *ArrayChange) judge(before, after []events.PrefixTool, names []string, deferred map[string]bool) {
	c.Kind = arrayKind(before, after)
	explained := explainedTools(before, after, c.Cause, names)
	rest := arrayKind(without(before, explained), without(after, explained))
	switch {
	case c.Cause == CauseDeploy:
		c.Legal = true
		return
	case c.ModelChanged: // another model may want tools in another form, and may be able to defer some
		rest = arrayKind(without(without(before, explained), deferred), without(after, explained))
		c.Legal = rest != ArrayShrunk
	default:
		c.Legal = rest.legal(c.Deferred)
	}
	if !c.Legal {
		c.Kind = rest
	}
}

// without returns the tools whose name is not marked.
func without(tools []events.PrefixTool, names map[string]bool) []events.PrefixTool {
	return slices.DeleteFunc(slices.Clone(tools), func(t events.PrefixTool) bool { return names[t.Name] })
}

// explainedTools marks the tools whose change a cause from outside explains: those it names that came or went. A list of a server's
// explains another definition only where it brought and took nothing; a permission changes none. Where a server that came or went
// gave none of them its name, all that came or went are taken for its tools.
func explainedTools(before, after []events.PrefixTool, cause CauseKind, names []string) map[string]bool {
	moved, other := movedTools(before, after)
	explained := map[string]bool{}
	switch cause {
	case CauseListChange, CausePermission:
		markAll(explained, moved, func(tool string) bool { return slices.Contains(names, tool) })
		if len(explained) == 0 && cause == CauseListChange {
			markAll(explained, other, func(tool string) bool { return slices.Contains(names, tool) })
		}
	case CauseReconnect:
		markAll(explained, moved, func(tool string) bool { return isOfAny(tool, names) })
		if len(explained) == 0 {
			markAll(explained, moved, func(string) bool { return true })
		}
	}
	return explained
}

func markAll(names map[string]bool, tools []string, holds func(string) bool) {
	for _, tool := range pick(tools, holds) {
		names[tool] = true
	}
}

// movedTools returns the tools that only one of two arrays has, and those that both have in another form.
func movedTools(before, after []events.PrefixTool) (moved, other []string) {
	was, is := toolIndex(before), toolIndex(after)
	for _, t := range before {
		i, ok := is[t.Name]
		switch {
		case !ok:
			moved = append(moved, t.Name)
		case after[i].Digest != t.Digest:
			other = append(other, t.Name)
		}
	}
	for _, t := range after {
		if _, ok := was[t.Name]; !ok {
			moved = append(moved, t.Name)
		}
	}
	return moved, other
}
