package drift

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// findDefaulted finds the arguments that an old call names by a name the active schema dropped, while the name that took its
// place is absent and has a default: the call is valid and the tool runs with the default.
func (v *Versions) findDefaulted(out *Verdict, a *Arguments) {
	if len(out.Unknown) == 0 {
		return
	}
	f := defaultFinder{v: v, left: v.Active.Schema.limits.Steps}
	for _, old := range out.Unknown {
		at := containerOf(a.doc, old)
		if at.members == nil {
			continue
		}
		if now := f.replacement(at, out.Defaulted); now != "" {
			out.Defaulted = append(out.Defaulted, at.named(now))
			out.Renamed = append(out.Renamed, old)
		}
	}
}

// container is the object in a call that has a name which the active schema doesn't know.
type container struct {
	path    []pathPart
	members map[string]any
	name    string
	// prefix is the pointer to a nested container; empty at the top, where names stand alone.
	prefix string
}

// pathPart is one part of a path: a member's name, or an item's index where it is not negative.
type pathPart struct {
	name  string
	index int
}

// containerOf finds the object that an unknown name is in: a name at the top, or a pointer. Its members are nil when there is none.
func containerOf(doc any, unknown string) container {
	top, _ := doc.(map[string]any)
	if _, ok := top[unknown]; ok || !strings.HasPrefix(unknown, "/") {
		return container{members: top, name: unknown}
	}
	list := parts(unknown)
	at := container{name: list[len(list)-1], prefix: unknown[:strings.LastIndexByte(unknown, '/')+1]}
	for _, part := range list[:len(list)-1] {
		switch in := doc.(type) {
		case map[string]any:
			doc = in[part]
			at.path = append(at.path, pathPart{part, -1})
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(in) {
				return container{}
			}
			doc = in[i]
			at.path = append(at.path, pathPart{part, i})
		}
	}
	at.members, _ = doc.(map[string]any)
	return at
}

// named writes a name in the container as verdicts do.
func (c *container) named(name string) string {
	if c.prefix == "" {
		return name
	}
	return c.prefix + escapePointer(name)
}

// defaultFinder finds replacements with a bounded number of steps.
type defaultFinder struct {
	v    *Versions
	left int
}

// replacement returns the active argument that took the place of an old one, is absent from the call and has a default; "" when
// there is none. Of several it is the one whose name is nearest.
func (f *defaultFinder) replacement(at container, taken []string) string {
	active := f.argumentsAt(f.v.Active.Schema, at.path)
	if now, ok := f.v.Renames[at.name]; ok {
		if _, given := at.members[now]; !given && active[now].hasDefault {
			return now
		}
		return ""
	}
	before := f.lastWith(at)
	was, ok := before[at.name]
	if !ok {
		return ""
	}
	best, likeness := "", -1.0
	for _, name := range slices.Sorted(maps.Keys(active)) {
		_, given := at.members[name]
		_, existed := before[name]
		if given || existed || slices.Contains(taken, at.named(name)) || !active[name].hasDefault || !sameTypes(was.types, active[name].types) {
			continue
		}
		if l := likenessOf(at.name, name); l > likeness {
			best, likeness = name, l
		}
	}
	return best
}

// lastWith returns the arguments of the newest version before the active one that knows a container's name.
func (f *defaultFinder) lastWith(at container) map[string]argument {
	for _, list := range [][]Version{f.v.Legacy, f.v.Retired} {
		for _, l := range slices.Backward(list) {
			if l.Schema == nil {
				continue
			}
			all := f.argumentsAt(l.Schema, at.path)
			if _, ok := all[at.name]; ok {
				return all
			}
		}
	}
	return nil
}

// argumentsAt lists the arguments that a schema names for an object in the arguments; none when finding out takes too long.
func (f *defaultFinder) argumentsAt(s *Schema, path []pathPart) map[string]argument {
	if len(path) == 0 {
		return s.arguments
	}
	at := []*jsonschema.Schema{s.root}
	for _, p := range path {
		var next []*jsonschema.Schema
		for _, in := range closure(at) {
			if p.index < 0 {
				next = append(next, appliedTo(in, p.name)...)
			} else {
				next = append(next, appliedAt(in, p.index)...)
			}
			f.left--
		}
		if at = next; f.left < 0 || len(at) > maxClosure {
			return nil
		}
	}
	return argumentsIn(at)
}

// sameTypes reports that two arguments can hold values of one type; integers are numbers, and no type is any.
func sameTypes(a, b []string) bool {
	if len(a) == 0 || len(b) == 0 {
		return true
	}
	return slices.ContainsFunc(a, func(t string) bool {
		return t != "null" && slices.ContainsFunc(b, func(u string) bool { return numeric(t) == numeric(u) })
	})
}

func numeric(t string) string {
	if t == "integer" {
		return "number"
	}
	return t
}

// likenessOf is the share of letter pairs that two names have in common, 0 to 1.
func likenessOf(a, b string) float64 {
	if len(a) < 2 || len(b) < 2 {
		return 0
	}
	pairs := map[string]int{}
	for i := range len(a) - 1 {
		pairs[a[i:i+2]]++
	}
	common := 0
	for i := range len(b) - 1 {
		if p := b[i : i+2]; pairs[p] > 0 {
			pairs[p]--
			common++
		}
	}
	return 2 * float64(common) / float64(len(a)+len(b)-2)
}
