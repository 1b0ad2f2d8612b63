package drift

import (
	"cmp"
	"strings"
)

// ownOf returns what is set for a tool by name, where names may have * for any characters. A whole name goes before one with a *, else
// the one with the most other characters, and of those the first by its letters.
func ownOf[T any](set map[string]T, tool string) (own T, ok bool) {
	if len(set) == 0 {
		return own, false
	}
	if own, ok = set[tool]; ok {
		return own, true
	}
	best := ""
	for name := range set {
		if fitsName(name, tool) && (!ok || moreExact(name, best) > 0) {
			best, ok = name, true
		}
	}
	return set[best], ok
}

// moreExact is positive where the pattern a goes before b.
func moreExact(a, b string) int {
	letters := func(s string) int { return len(s) - strings.Count(s, "*") }
	return cmp.Or(cmp.Compare(letters(a), letters(b)), strings.Compare(b, a))
}

// fitsName reports whether a pattern, in which * is for any characters, is of a name.
func fitsName(pattern, name string) bool {
	start, rest, wild := strings.Cut(pattern, "*")
	if !wild {
		return pattern == name
	}
	if !strings.HasPrefix(name, start) {
		return false
	}
	name = name[len(start):]
	for {
		part, more, wild := strings.Cut(rest, "*")
		if !wild {
			return strings.HasSuffix(name, part)
		}
		i := strings.Index(name, part)
		if i < 0 {
			return false
		}
		name, rest = name[i+len(part):], more
	}
}
