package drift

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events"
)

// ListComparison is what changed from one list of tools to another.
type ListComparison struct {
	// Class is the gravest of the changes; a tool that is gone is breaking.
	Class   Class        `json:"class"`
	Before  int          `json:"tools_before"`
	After   int          `json:"tools_after"`
	Added   []string     `json:"added,omitzero"`
	Removed []string     `json:"removed,omitzero"`
	Renames []ToolRename `json:"renames,omitzero"`
	// Changed are the tools of both lists whose definitions differ in substance.
	Changed []Comparison `json:"changed,omitzero"`
	// Rewritten counts those whose bytes differ and that say the same.
	Rewritten int `json:"rewritten,omitzero"`
}

// ListOptions are what a comparison of lists is told.
type ListOptions struct {
	CompareOptions
	// Tools maps a tool's former name to its present one, where that is known.
	Tools map[string]string
}

// maxListed is how many tools a list may have.
const maxListed = 10_000

// CompareLists compares two lists of tool definitions by name; of two tools of one name the first counts. The error says which
// definition can't be read. A schema that can't be compiled is no error: its tool is listed as `not_comparable`.
func CompareLists(before, after []jsontext.Value, o ListOptions) (*ListComparison, error) {
	a, err := parseList(before, "old")
	if err != nil {
		return nil, err
	}
	b, err := parseList(after, "new")
	if err != nil {
		return nil, err
	}
	out := &ListComparison{Class: NonBreaking, Before: len(a), After: len(b), Renames: RenameTools(a, b, o.Tools, o.Limits)}
	then, now := byName(a), byName(b)
	for _, t := range a {
		if _, ok := now[t.Name]; !ok {
			out.Removed = append(out.Removed, t.Name)
			out.Class = Breaking
		}
	}
	for _, t := range b {
		was, ok := then[t.Name]
		if !ok {
			out.Added = append(out.Added, t.Name)
			continue
		}
		out.tool(was, t, o.CompareOptions)
	}
	return out, nil
}

func byName(tools []events.Tool) map[string]events.Tool {
	m := make(map[string]events.Tool, len(tools))
	for _, t := range tools {
		m[t.Name] = t
	}
	return m
}

// parseList reads definitions, sorted by name, each name once.
func parseList(raws []jsontext.Value, which string) ([]events.Tool, error) {
	if len(raws) > maxListed {
		return nil, fmt.Errorf("read the %s list of %d tools: %w", which, len(raws), ErrLimit)
	}
	seen := map[string]bool{}
	var out []events.Tool
	for i, raw := range raws {
		t, err := events.ParseTool(raw)
		if err != nil {
			return nil, fmt.Errorf("read tool %d of the %s list: %w: %w", i+1, which, ErrCompare, err)
		}
		if !seen[t.Name] {
			seen[t.Name] = true
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b events.Tool) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}

// tool compares a tool of both lists.
func (l *ListComparison) tool(was, is events.Tool, o CompareOptions) {
	if bytes.Equal(was.Raw, is.Raw) {
		return
	}
	if sameDefinition(was.Raw, is.Raw) {
		l.Rewritten++
		return
	}
	c, err := CompareTools(was.Raw, is.Raw, o)
	if err != nil {
		c = &Comparison{Class: UnknownClass, Changes: []Change{{
			Kind: "not_comparable", Aspect: AspectInput, Class: UnknownClass, Note: err.Error(),
		}}}
	}
	if len(c.Changes) == 0 {
		l.Rewritten++
		return
	}
	c.Tool = is.Name
	l.Changed = append(l.Changed, *c)
	if c.Class.rank() > l.Class.rank() {
		l.Class = c.Class
	}
}

// sameDefinition reports that two definitions are the same JSON, whatever the order and space.
func sameDefinition(a, b []byte) bool {
	one, err := events.Canonical(a)
	other, err2 := events.Canonical(b)
	return err == nil && err2 == nil && bytes.Equal(one, other)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
