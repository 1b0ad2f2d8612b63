package drift

import (
	"maps"
	"slices"
)

// findDefaulted finds the arguments that an old call names by a name the active schema dropped, while the name that took its
// place is absent and has a default: the call is valid and the tool runs with the default.
func (v *Versions) findDefaulted(out *Verdict, a *Arguments) {
	doc, ok := a.doc.(map[string]any)
	if !ok || len(out.Unknown) == 0 {
		return
	}
	for _, old := range out.Unknown {
		now := v.replacement(old, doc, out.Defaulted)
		if now == "" {
			continue
		}
		out.Defaulted = append(out.Defaulted, now)
		out.Renamed = append(out.Renamed, old)
	}
}

// replacement returns the active argument that took the place of an old one, is absent from the call and has a default; "" when
// there is none. Of several it is the one whose name is nearest.
func (v *Versions) replacement(old string, doc map[string]any, taken []string) string {
	active := v.Active.Schema.arguments
	if now, ok := v.Renames[old]; ok {
		if _, given := doc[now]; !given && active[now].hasDefault {
			return now
		}
		return ""
	}
	before, was, ok := v.lastWith(old)
	if !ok {
		return ""
	}
	best, likeness := "", -1.0
	for _, name := range slices.Sorted(maps.Keys(active)) {
		_, given := doc[name]
		_, existed := before.arguments[name]
		if given || existed || slices.Contains(taken, name) || !active[name].hasDefault || !sameTypes(was.types, active[name].types) {
			continue
		}
		if l := likenessOf(old, name); l > likeness {
			best, likeness = name, l
		}
	}
	return best
}

// lastWith returns the newest legacy version that names an argument.
func (v *Versions) lastWith(name string) (*Schema, argument, bool) {
	for _, l := range slices.Backward(v.Legacy) {
		if l.Schema == nil {
			continue
		}
		if a, ok := l.Schema.arguments[name]; ok {
			return l.Schema, a, true
		}
	}
	return nil, argument{}, false
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
