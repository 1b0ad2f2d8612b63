package drift

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/tooltrail/tooltrail/events"
)

// maxArgumentName is how much of an unknown argument's name is told, in bytes: what is longer is no name.
const maxArgumentName = 128

// odd returns the names that a schema declares and that look like values by [events.PlaceName]; they are public with the schema.
func (s *Schema) odd() map[string]bool {
	if s == nil {
		return nil
	}
	s.declare.Do(func() {
		s.declared = map[string]bool{}
		for _, part := range s.located() {
			s.declareIn(part)
		}
	})
	return s.declared
}

// declareIn adds what one part of the schema declares.
func (s *Schema) declareIn(part *jsonschema.Schema) {
	add := func(name string) {
		if events.PlaceName(name) != name {
			s.declared[name] = true
		}
	}
	for name := range part.Properties {
		add(name)
	}
	for _, name := range part.Required {
		add(name)
	}
	if part.PropertyNames == nil {
		return
	}
	for _, v := range append(part.PropertyNames.Enum, part.PropertyNames.Constant...) {
		if name, ok := v.(string); ok {
			add(name)
		}
	}
}

// declares reports whether a version of the tool declares a name that looks like a value.
func (v *Versions) declares(name string) bool {
	if v == nil {
		return false
	}
	if v.Active.Schema.odd()[name] {
		return true
	}
	for _, list := range [][]Version{v.Legacy, v.Retired} {
		for i := range list {
			if list[i].Schema.odd()[name] {
				return true
			}
		}
	}
	return false
}

// placeName returns a member's name as it may stand in a place.
func (v *Versions) placeName(name string) string {
	shown := events.PlaceName(name)
	if shown != name && v.declares(name) {
		return name
	}
	return shown
}

// Shape is [Shape] with the names that the versions declare as they are, even those that look like values.
func (v *Versions) Shape(args jsontext.Value) []events.Argument { return shapeOf(args, v.placeName) }

// masker takes out of a verdict what places in its arguments may hold of values.
type masker struct {
	v   *Versions
	doc any
}

// verdict masks all places in a verdict. The names of unknown arguments stay, but for the maps that they are in.
func (m masker) verdict(out *Verdict) {
	out.Errors, out.ClaimErrors = m.errors(out.Errors), m.errors(out.ClaimErrors)
	out.Unknown, out.ClaimUnknown = m.unknown(out.Unknown), m.unknown(out.ClaimUnknown)
	for i := range out.Defaulted {
		out.Defaulted[i], out.Renamed[i] = m.argument(out.Defaulted[i]), m.argument(out.Renamed[i])
	}
	if len(out.Aliases) == 0 {
		return
	}
	aliases := make(map[string]string, len(out.Aliases))
	for was, now := range out.Aliases {
		aliases[m.argument(was)] = m.argument(now)
	}
	out.Aliases = aliases
}

// errors masks the places of errors; those that come to one place become one.
func (m masker) errors(list []events.ValidationError) []events.ValidationError {
	for i := range list {
		list[i].Path, _ = m.walk(parts(list[i].Path))
	}
	slices.SortStableFunc(list, compareErrors)
	return slices.Compact(list)
}

// unknown masks the names of unknown arguments.
func (m masker) unknown(list []string) []string {
	for i := range list {
		list[i] = m.argument(list[i])
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func compareErrors(a, b events.ValidationError) int {
	return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Keyword, b.Keyword))
}

// argument masks a verdict's name of an argument: a name at the top, or a pointer, whose last name stays.
func (m masker) argument(name string) string {
	top, _ := m.doc.(map[string]any)
	if _, ok := top[name]; ok || !strings.HasPrefix(name, "/") {
		return cutTo(name, maxArgumentName)
	}
	list := parts(name)
	masked, _ := m.walk(list[:len(list)-1])
	return masked + "/" + escapePointer(cutTo(list[len(list)-1], maxArgumentName))
}

// walk writes names as a masked pointer, and returns what is there.
func (m masker) walk(names []string) (string, any) {
	var b strings.Builder
	at := m.doc
	for _, name := range names {
		shown := name
		switch in := at.(type) {
		case []any:
			at = itemAt(in, name)
		default:
			members, _ := in.(map[string]any)
			at, shown = members[name], m.v.placeName(name)
		}
		b.WriteString("/" + escapePointer(shown))
	}
	return b.String(), at
}

// itemAt returns an array's item by its index as a pointer has it; nil where there is none.
func itemAt(list []any, index string) any {
	i, err := strconv.Atoi(index)
	if err != nil || i < 0 || i >= len(list) {
		return nil
	}
	return list[i]
}
