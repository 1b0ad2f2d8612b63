package activation

import (
	"slices"
	"strings"

	"github.com/tooltrail/tooltrail/events"
)

// sameLetters finds a tool whose name differs by case and separators only.
func (r *Roster) sameLetters(name string) (Resolution, bool) {
	folded := fold(name)
	i, ok := r.byFold[folded]
	switch {
	case r.collapses(name):
		return Resolution{Resolution: events.ResolvedGuessed, How: HowCollision}, true
	case !ok || folded == "":
		return Resolution{}, false
	case i == collides:
		return Resolution{Resolution: events.ResolvedGuessed, How: HowCollision}, true
	}
	how := HowSeparator
	if letters(name) != letters(r.tools[i].Name) {
		how = HowCase
	}
	return r.resolutionOf(events.ResolvedGuessed, how, r.tools[i].Name), true
}

func isSeparator(b byte) bool {
	switch b {
	case '_', '-', '.', ':', '/':
		return true
	}
	return false
}

// letters drops '-', '_' and '.' from a name; fold drops case too.
func letters(name string) string {
	return strings.Map(func(c rune) rune {
		if c == '-' || c == '_' || c == '.' {
			return -1
		}
		return c
	}, name)
}

func fold(name string) string { return strings.ToLower(letters(name)) }

// maxSanitised is the longest tool name that every provider takes, in bytes: OpenAI's and Gemini's limit.
const maxSanitised = 64

// sanitised returns the byte that stands for one of a name's where an agent makes the name fit for a provider: letters, digits, '_'
// and '-' stay.
func sanitised(b byte) byte {
	switch {
	case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b >= '0' && b <= '9', b == '-':
		return b
	}
	return '_'
}

// sameSanitised reports that a called name is a tool's, but for what is done to make a name fit for a provider.
func sameSanitised(tool, name string) bool {
	tool = tool[:min(len(tool), maxSanitised)]
	if len(tool) != len(name) {
		return false
	}
	for i := range len(tool) {
		if sanitised(tool[i]) != sanitised(name[i]) {
			return false
		}
	}
	return true
}

// collapses reports that a name is what two tools' names become when they are made fit for a provider.
func (r *Roster) collapses(name string) bool {
	first := ""
	return slices.ContainsFunc(r.tools, func(t Tool) bool {
		if t.Name == first || !sameSanitised(t.Name, name) {
			return false
		}
		second := first != ""
		first = t.Name
		return second
	})
}
