package drift

import (
	"strconv"
	"strings"

	"github.com/tooltrail/tooltrail/events"
)

const (
	// maxVerdictText bounds [Verdict.Text], in bytes.
	maxVerdictText = 2_000
	// maxVerdictParts is how many errors and names it lists.
	maxVerdictParts = 8
)

// Text says to a model what is wrong with its call and what to give instead; "" where nothing is. It names arguments and quotes the
// schema, and never gives an argument's value or a guess at a name.
func (v *Verdict) Text() string {
	var b strings.Builder
	switch v.Class {
	case events.DriftValidationError:
		v.invalidText(&b)
	case events.DriftSilentDefault:
		v.defaultText(&b)
	case events.DriftUnknownArgument:
		b.WriteString("The schema" + v.activeText() + " does not know " + listText(v.Unknown) + ", and does not read what is given there.")
	case events.DriftOldVersion:
		b.WriteString("The arguments are of version " + v.Version + ", and the version to use is " + v.Active + ".")
	default:
		return ""
	}
	v.aliasText(&b)
	v.claimText(&b)
	return cutTo(b.String(), maxVerdictText)
}

func (v *Verdict) activeText() string {
	if v.Active == "" {
		return ""
	}
	return " (version " + v.Active + ")"
}

func (v *Verdict) invalidText(b *strings.Builder) {
	if len(v.Errors) == 1 && v.Errors[0].Keyword == KeywordRetired {
		b.WriteString("The arguments are of version " + v.Version + ", which is retired. Use version " + v.Active + ".")
	} else {
		b.WriteString("The arguments do not fit the schema" + v.activeText() + ": " + partsText(len(v.Errors), func(i int) string {
			return placeText(v.Errors[i].Path) + " " + wordsOf(v.Errors[i])
		}))
	}
	if len(v.Unknown) > 0 {
		b.WriteString(" It does not know " + listText(v.Unknown) + ".")
	}
}

// partsText is a sentence's list of n parts.
func partsText(n int, part func(i int) string) string {
	var parts []string
	for i := range min(n, maxVerdictParts) {
		parts = append(parts, part(i))
	}
	if n > maxVerdictParts {
		parts = append(parts, "and "+strconv.Itoa(n-maxVerdictParts)+" more")
	}
	return strings.Join(parts, "; ") + "."
}

func placeText(path string) string {
	if path == "" {
		return "the whole"
	}
	return short(path)
}

func wordsOf(e events.ValidationError) string {
	if e.Message == "" {
		return "(" + e.Keyword + ")"
	}
	return "(" + e.Keyword + ": " + e.Message + ")"
}

func (v *Verdict) defaultText(b *strings.Builder) {
	b.WriteString("The call would run with defaults in the place of what it gives: " + partsText(len(v.Defaulted), func(i int) string {
		return quoteName(v.Renamed[i]) + " is not read any more, and " + quoteName(v.Defaulted[i]) + ", which took its place, is not given"
	}))
	b.WriteString(" Call the tool by the schema it has now" + v.activeText() + ".")
}

// aliasText names what the tool's owner says of former names.
func (v *Verdict) aliasText(b *strings.Builder) {
	n := 0
	for _, was := range v.Unknown {
		now, ok := v.Aliases[was]
		if !ok || v.Class == events.DriftSilentDefault || n == maxVerdictParts {
			continue
		}
		n++
		b.WriteString(" " + quoteName(was) + " is called " + quoteName(now) + " now.")
	}
}

// claimText says where a claim is not what the arguments are.
func (v *Verdict) claimText(b *strings.Builder) {
	switch {
	case v.Claim == ClaimUnknown:
		b.WriteString(" There is no such schema version as the call says.")
	case v.Claim == ClaimDisagrees && v.Version != v.Active:
		b.WriteString(" They do not fit version " + v.Version + " either, which the call says it is of.")
	case v.Claim == ClaimDisagrees && v.Fits != "":
		b.WriteString(" They are of version " + v.Fits + ", and the call says it is of " + v.Version + ".")
	}
}

func listText(names []string) string {
	quoted := make([]string, 0, maxVerdictParts)
	for i, n := range names {
		if i == maxVerdictParts {
			return strings.Join(quoted, ", ") + " and " + strconv.Itoa(len(names)-i) + " more"
		}
		quoted = append(quoted, quoteName(n))
	}
	return strings.Join(quoted, ", ")
}

func quoteName(name string) string { return strconv.Quote(short(name)) }
