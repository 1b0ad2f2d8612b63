package activation

import (
	"strings"

	"github.com/tooltrail/tooltrail/events"
)

const (
	// minNear is the shortest name, in bytes, that is called near to another.
	minNear = 4
	// maxNear is how many edits apart two near names are at most.
	maxNear = 4
	// editShare is how many letters a name needs for each edit.
	editShare = 5
	// maxNearName is the longest name, in bytes, whose distance to others is measured.
	maxNearName = 128
)

// near finds the one tool whose name is a few edits away, or has the same words but for one or their order.
func (r *Roster) near(name string) (Resolution, bool) {
	key := fold(name)
	if len(key) < minNear || len(name) > maxNearName {
		return Resolution{}, false
	}
	best, distance := "", min(maxNear, max(1, len(key)/editShare))+1
	for i := range r.tools {
		if d := nearness(name, key, r.tools[i].Name, distance); d < distance {
			best, distance = r.tools[i].Name, d
		}
	}
	if best == "" {
		return Resolution{}, false
	}
	return r.resolutionOf(events.ResolvedGuessed, HowNear, best), true
}

// nearness returns how far apart two names are, at most limit.
func nearness(name, key, other string, limit int) int {
	if len(other) > maxNearName {
		return limit
	}
	o := fold(other)
	if len(o) < minNear || len(o) > maxNearName {
		return limit
	}
	if d := len(o) - len(key); d < limit && -d < limit {
		limit = min(limit, editDistance(key, o, limit))
	}
	if limit > 1 && oneWordApart(words(name), words(other)) {
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
	left := make(map[string]int, len(a))
	for _, w := range a {
		left[w]++
	}
	missing := 0
	for _, w := range b {
		if left[w] == 0 {
			missing++
			continue
		}
		left[w]--
	}
	return missing <= 1
}
