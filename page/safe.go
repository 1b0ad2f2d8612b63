package page

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of what is shown of a value, in characters.
const (
	maxShown  = 2000
	foldFrom  = 240
	maxInList = 20
	// maxUnwrapped is up to how many bytes a name stays on one line.
	maxUnwrapped = 26
)

// clean returns a value as it is shown: characters that have no width or change the direction of a line are written as \u202e, what is no UTF-8
// as U+FFFD, and what is too long is cut.
func clean(s string, limit int) string {
	cut := ""
	if utf8.RuneCountInString(s) > limit {
		cut = fmt.Sprintf("… (%s in all)", bytesText(float64(len(s))))
		s = firstRunes(s, limit)
	}
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		switch {
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case unicode.Is(unicode.C, r) || r == '\u2028' || r == '\u2029' || r == '\u034f' || r == '\u115f' || r == '\u1160' || r == '\u3164':
			fmt.Fprintf(&b, "\\u%04x", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + cut
}

// firstRunes returns the beginning of a text.
func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// fold splits a long text into what is shown at once and all of it; rest is empty for a short one.
func fold(s string) (head, rest string) {
	if utf8.RuneCountInString(s) <= foldFrom && strings.Count(s, "\n") < 4 {
		return s, ""
	}
	return strings.Join(strings.Fields(firstRunes(s, foldFrom/2)), " ") + "…", s
}
