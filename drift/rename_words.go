package drift

import "slices"

// verbs are the words of tool names that say what is done rather than what it is done to; true for those that change something.
var verbs = map[string]bool{
	"get": false, "list": false, "read": false, "search": false, "find": false, "fetch": false, "show": false, "describe": false, "query": false,
	"create": true, "update": true, "delete": true, "add": true, "remove": true, "write": true, "submit": true, "set": true, "edit": true,
	"manage": true, "run": true, "trigger": true, "move": true, "reprioritize": true, "put": true, "insert": true, "send": true,
}

// notVerbs leaves out the verbs of a name.
func notVerbs(all []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(w string) bool { _, is := verbs[w]; return is })
}

// sameEffect reports that two names don't differ in whether they change something.
func sameEffect(a, b []string) bool {
	reads, changes := effects(a)
	otherReads, otherChanges := effects(b)
	if reads == changes || otherReads == otherChanges {
		return true // one of them says neither, or both
	}
	return reads == otherReads
}

func effects(all []string) (reads, changes bool) {
	for _, w := range all {
		if change, is := verbs[w]; is {
			reads, changes = reads || !change, changes || change
		}
	}
	return reads, changes
}

// singular takes the plural's s off.
func singular(w string) string {
	if n := len(w); n > 3 && w[n-1] == 's' && w[n-2] != 's' {
		return w[:n-1]
	}
	return w
}

func wordSet(all []string) map[string]bool {
	set := make(map[string]bool, len(all))
	for _, w := range all {
		set[singular(w)] = true
	}
	return set
}

// within reports that every word is among others.
func within(all, of []string) bool {
	set := wordSet(of)
	return !slices.ContainsFunc(all, func(w string) bool { return !set[singular(w)] })
}

func sameWords(a, b []string) bool { return within(a, b) && within(b, a) }

// wordLikeness is the share of words that two lists have in common, 0 to 1.
func wordLikeness(a, b []string) float64 {
	one, other := wordSet(a), wordSet(b)
	if len(one)+len(other) == 0 {
		return 0
	}
	common := 0
	for w := range one {
		if other[w] {
			common++
		}
	}
	return 2 * float64(common) / float64(len(one)+len(other))
}
