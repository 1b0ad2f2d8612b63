package metrics

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxValue is how many bytes of a name a label shows.
	maxValue = 128
	// hashBytes is how much of a name's hash tells names apart that are not shown as they are.
	hashBytes = 4
)

// labelValues makes names from outside fit for labels.
func labelValues(names []string) []string {
	values := make([]string, len(names))
	for i, n := range names {
		values[i] = labelValue(n)
	}
	return values
}

// labelValue makes a name from outside fit for a label and for the line of text that an alert makes of it: a name that is too long is cut, and what
// can't be shown is replaced. Such a name ends with a part of its hash, so that it is still one of its own.
func labelValue(name string) string {
	if len(name) <= maxValue && strings.IndexFunc(name, isHidden) < 0 {
		return name
	}
	shown := name[:min(len(name), maxValue)]
	for len(shown) < len(name) && len(shown) > maxValue-utf8.UTFMax && !utf8.RuneStart(name[len(shown)]) {
		shown = shown[:len(shown)-1]
	}
	shown = strings.Map(func(c rune) rune {
		if isHidden(c) {
			return unicode.ReplacementChar
		}
		return c
	}, shown)
	hash := sha256.Sum256([]byte(name))
	return shown + "~" + hex.EncodeToString(hash[:hashBytes])
}

// isHidden reports whether a character can't be shown as it is: a control character, one that turns the direction of text, or no character at all.
func isHidden(c rune) bool { return c == utf8.RuneError || !unicode.IsPrint(c) }
