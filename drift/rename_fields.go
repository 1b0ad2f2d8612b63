package drift

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// FieldRename is a hint that a property has a new name.
type FieldRename struct {
	// Path is a JSON pointer into the new schema to the properties that both names are of.
	Path string `json:"path"`
	From string `json:"from"`
	To   string `json:"to"`
	// Evidence says what speaks for it, such as "names alike 0.83" or "same type".
	Evidence []string `json:"evidence"`
	// SilentDefault says that the new name has a default: calls by the old name stay valid and run with it.
	SilentDefault bool `json:"silent_default,omitzero"`
}

// renamed lists the properties that the alias table says have a new name, and compares them under it.
func (c *comparer) renamed(m *members) map[string]string {
	out := map[string]string{}
	for _, was := range slices.Sorted(maps.Keys(m.a.Properties)) {
		now, ok := c.aliases[was]
		if !ok || m.b.Properties[was] != nil || m.b.Properties[now] == nil || m.a.Properties[now] != nil || hasValue(out, now) {
			continue
		}
		out[was] = now
		ch := Change{
			Kind: "property_renamed", Aspect: AspectMeaning, Class: Breaking, Old: shown(was), New: shown(now), Note: "calls that give the old name must be migrated",
		}
		var values []any
		if v, ok := c.maker(c.a).first([]*jsonschema.Schema{m.a.Properties[was]}, 0); ok {
			values = c.withMember(m.a, was, v)
		}
		c.add(m.place, ch, "properties/"+escapePointer(now), values...)
		c.renames = append(c.renames, FieldRename{
			Path: m.path + "/properties", From: was, To: now, Evidence: []string{"alias table"}, SilentDefault: hasDefault(m.b.Properties[now]),
		})
		c.member(m, was, now)
	}
	return out
}

// likeFields gives a hint for each property that went while one that is like it came, the likest first and each once.
func (c *comparer) likeFields(m *members, renamed map[string]string) {
	gone := onlyIn(m.a.Properties, m.b.Properties, func(n string) bool { return renamed[n] != "" })
	come := onlyIn(m.b.Properties, m.a.Properties, func(n string) bool { return hasValue(renamed, n) })
	if len(gone) == 0 || !c.spend(len(gone)*len(come)*(len(gone)+len(come))) {
		return
	}
	var all []likeField
	for _, was := range gone {
		for _, now := range come {
			if l := c.likeField(m, was, now, onlyPair(m, was, now, gone, come)); l.score > 0 {
				all = append(all, l)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b likeField) int { return compareFloat(b.score, a.score) })
	for _, l := range all {
		if !slices.ContainsFunc(c.renames, func(r FieldRename) bool {
			return r.Path == l.rename.Path && (r.From == l.rename.From || r.To == l.rename.To)
		}) {
			c.renames = append(c.renames, l.rename)
		}
	}
}

// onlyPair reports that no other property that went or came can hold what these two can.
func onlyPair(m *members, was, now string, gone, come []string) bool {
	return !slices.ContainsFunc(come, func(n string) bool { return n != now && typesMeet(m.a.Properties[was], m.b.Properties[n]) }) &&
		!slices.ContainsFunc(gone, func(n string) bool { return n != was && typesMeet(m.a.Properties[n], m.b.Properties[now]) })
}

// typesMeet reports that some value other than null can be of both schemas' types.
func typesMeet(a, b *jsonschema.Schema) bool {
	return allowedTypes(resolve(a))&allowedTypes(resolve(b))&^typeNull != 0
}

func compareFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func onlyIn(in, notIn map[string]*jsonschema.Schema, but func(string) bool) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(in)) {
		if notIn[name] == nil && !but(name) {
			names = append(names, name)
		}
	}
	return names
}

type likeField struct {
	rename FieldRename
	score  float64
}

// likeField weighs whether a property has a new name. They must hold values of one type, and their names must be alike unless they are
// the only ones that went and came.
func (c *comparer) likeField(m *members, was, now string, only bool) likeField {
	a, b := resolve(m.a.Properties[was]), resolve(m.b.Properties[now])
	names := nameLikeness(was, now)
	if !typesMeet(a, b) || names < 0.5 && !only {
		return likeField{}
	}
	l := likeField{rename: FieldRename{Path: m.path + "/properties", From: was, To: now, SilentDefault: hasDefault(b)}, score: names + 0.1}
	say := func(score float64, what string) {
		l.score += score
		l.rename.Evidence = append(l.rename.Evidence, what)
	}
	if names > 0 {
		l.rename.Evidence = append(l.rename.Evidence, likenessText("names alike", names))
	}
	if c.equal(a, b) {
		say(0.4, "same schema")
	} else {
		say(0, "a type in common")
	}
	if only {
		say(0.2, "no other property that went or came fits")
	}
	if a.Description != "" && a.Description == b.Description {
		say(0.5, "same description")
	}
	if slices.Contains(m.a.Required, was) && slices.Contains(m.b.Required, now) {
		say(0.1, "both required")
	}
	return l
}

func hasDefault(s *jsonschema.Schema) bool {
	return slices.ContainsFunc(closure([]*jsonschema.Schema{s}), func(in *jsonschema.Schema) bool { return in.Default != nil })
}

// nameLikeness is likenessOf without regard to case and to what parts words; 1 is the same name written otherwise.
func nameLikeness(a, b string) float64 {
	a, b = strings.Join(words(a), ""), strings.Join(words(b), "")
	if a == b {
		return 1
	}
	return likenessOf(a, b)
}

// words takes a name apart: at what is no letter or digit and where a capital follows a small letter. Words are in small letters.
func words(name string) []string {
	var out []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			out = append(out, strings.ToLower(word.String()))
			word.Reset()
		}
	}
	small := false
	for _, r := range name {
		capital := r >= 'A' && r <= 'Z'
		letter := capital || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 127
		if !letter || capital && small {
			end()
		}
		if letter {
			word.WriteRune(r)
		}
		small = letter && !capital
	}
	end()
	return out
}

func likenessText(what string, share float64) string {
	return fmt.Sprintf("%s %.2f", what, share)
}
