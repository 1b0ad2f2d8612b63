package activation

import (
	"strings"

	"github.com/tooltrail/tooltrail/events"
)

const (
	// minNear is the shortest name, in bytes, that is called near to another.
	minNear = 4
	// editShare is how many letters a name needs for each edit.
	editShare = 5
	// maxNearName is the longest name, in bytes, whose distance to others is measured.
	maxNearName = 128
)

// form is a name as it is compared with others; one that is too long or short to be near has none.
type form struct {
	folded string
	words  []string
}

func formOf(name string) form {
	if len(name) > maxNearName {
		return form{}
	}
	f := form{folded: fold(name)}
	if len(f.folded) < minNear || len(f.folded) > maxNearName {
		return form{}
	}
	f.words = words(name)
	return f
}

// near finds the one tool whose name is a few edits away, or has the same words but for one or their order.
func (r *Roster) near(name string) (Resolution, bool) {
	f := formOf(name)
	if f.folded == "" || r.settings.NearEdits == 0 {
		return Resolution{}, false
	}
	best, distance := -1, r.settings.maxDistance(&f)+1
	for i := range r.forms {
		if d := nearness(&f, &r.forms[i], distance); d < distance {
			best, distance = i, d
		}
	}
	if best < 0 {
		return Resolution{}, false
	}
	return r.resolutionOf(events.ResolvedGuessed, HowNear, r.tools[best].Name), true
}

// maxDistance is how many edits away a name may be to be near.
func (s *Settings) maxDistance(f *form) int { return min(s.NearEdits, max(1, len(f.folded)/editShare)) }

// nearness returns how far apart two names are, at most limit.
func nearness(a, b *form, limit int) int {
	if b.folded == "" {
		return limit
	}
	if d := len(b.folded) - len(a.folded); d < limit && -d < limit {
		limit = min(limit, editDistance(a.folded, b.folded, limit))
	}
	if limit > 1 && oneWordApart(a.words, b.words) {
		return 1
	}
	return limit
}

// editDistance counts the bytes to insert, delete or replace to make b of a; it stops at limit.
func editDistance(a, b string, limit int) int {
	var rows [2][maxNearName + 1]int
	prev, cur := &rows[0], &rows[1]
	for j := range len(b) + 1 {
		prev[j] = j
	}
	for i := range len(a) {
		cur[0] = i + 1
		least := cur[0]
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			cur[j+1] = min(prev[j]+cost, prev[j+1]+1, cur[j]+1)
			least = min(least, cur[j+1])
		}
		if least >= limit {
			return limit
		}
		prev, cur = cur, prev
	}
	return min(prev[len(b)], limit)
}

// words splits a name at separators and where a lower letter meets an upper one, in lower case.
func words(name string) []string {
	var b strings.Builder
	lower := false
	for _, c := range name {
		upper := c >= 'A' && c <= 'Z'
		if upper && lower {
			b.WriteByte(' ')
		}
		lower = c >= 'a' && c <= 'z'
		if c < 0x80 && isSeparator(byte(c)) {
			c = ' '
		}
		b.WriteRune(c)
	}
	return strings.Fields(strings.ToLower(b.String()))
}

// oneWordApart reports that two names of three words and more have the same words in any order but for one at most.
func oneWordApart(a, b []string) bool {
	if len(a) != len(b) || len(a) < 3 {
		return false
	}
	var used [maxNearName]bool
	missing := 0
	for _, w := range b {
		if i := unused(a, w, used[:len(a)]); i >= 0 {
			used[i] = true
		} else if missing++; missing > 1 {
			return false
		}
	}
	return true
}

// unused returns the index of a word that is not used yet, -1 when there is none.
func unused(all []string, word string, used []bool) int {
	for i, w := range all {
		if w == word && !used[i] {
			return i
		}
	}
	return -1
}
