package drift

import (
	"encoding/json"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// form is a schema's assertions, without annotations and without the order that means nothing: keywords with their values as
// text, and the schemas inside by their place.
type form struct {
	text map[string]string
	kids map[string]*jsonschema.Schema
}

// formOf reads a compiled schema.
func formOf(s *jsonschema.Schema) *form {
	f := &form{text: map[string]string{}, kids: map[string]*jsonschema.Schema{}}
	if s.Always != nil {
		if !*s.Always {
			f.text["false"] = "true"
		}
		return f
	}
	f.values(s)
	f.sizes(s)
	f.bounds(s)
	f.inPlace(s)
	f.below(s)
	return f
}

func (f *form) values(s *jsonschema.Schema) {
	if len(s.Types) > 0 {
		f.text["type"] = strings.Join(typeNames(typesOf(s)), " ")
	}
	if len(s.Constant) > 0 {
		f.text["const"] = jsonText(s.Constant[0])
	}
	if s.Enum != nil {
		f.text["enum"] = sortedTexts(s.Enum)
	}
	if s.Pattern != nil {
		f.text["pattern"] = s.Pattern.String()
	}
	if s.Format != "" {
		f.text["format"] = s.Format
	}
	if len(s.Required) > 0 {
		f.text["required"] = sortedNames(s.Required)
	}
	for name, needed := range s.DependentRequired {
		f.text["dependentRequired/"+escapePointer(name)] = sortedNames(needed)
	}
	if s.UniqueItems {
		f.text["uniqueItems"] = "true"
	}
	if s.ContentEncoding != "" || s.ContentMediaType != "" {
		f.text["contentEncoding"] = s.ContentEncoding + " " + s.ContentMediaType
	}
}

func (f *form) sizes(s *jsonschema.Schema) {
	for _, n := range []struct {
		keyword string
		value   int
		none    int
	}{
		{"minLength", s.MinLength, 0}, {"maxLength", s.MaxLength, -1}, {"minItems", s.MinItems, 0}, {"maxItems", s.MaxItems, -1},
		{"minProperties", s.MinProperties, 0}, {"maxProperties", s.MaxProperties, -1},
	} {
		if n.value != n.none && n.value >= 0 {
			f.text[n.keyword] = strconv.Itoa(n.value)
		}
	}
	if s.Contains != nil {
		f.text["minContains"], f.text["maxContains"] = strconv.Itoa(s.MinContains), strconv.Itoa(s.MaxContains)
	}
}

func (f *form) bounds(s *jsonschema.Schema) {
	for keyword, r := range map[string]*big.Rat{
		"minimum": s.Minimum, "exclusiveMinimum": s.ExclusiveMinimum, "maximum": s.Maximum, "exclusiveMaximum": s.ExclusiveMaximum,
		"multipleOf": s.MultipleOf,
	} {
		if r != nil {
			f.text[keyword] = r.RatString()
		}
	}
}

// inPlace takes the schemas that apply to the same value.
func (f *form) inPlace(s *jsonschema.Schema) {
	for at, one := range map[string]*jsonschema.Schema{
		"$ref": s.Ref, "$recursiveRef": s.RecursiveRef, "$dynamicRef": s.DynamicRef, "not": s.Not, "if": s.If, "then": s.Then, "else": s.Else,
	} {
		f.kid(at, one)
	}
	f.list("allOf", s.AllOf)
	f.list("anyOf", s.AnyOf)
	f.list("oneOf", s.OneOf)
	for name, d := range s.DependentSchemas {
		f.kid("dependentSchemas/"+escapePointer(name), d)
	}
	for name, d := range s.Dependencies {
		switch d := d.(type) {
		case *jsonschema.Schema:
			f.kid("dependentSchemas/"+escapePointer(name), d)
		case []string:
			f.text["dependentRequired/"+escapePointer(name)] = sortedNames(d)
		}
	}
}

// below takes the schemas that apply to members and items.
func (f *form) below(s *jsonschema.Schema) {
	for name, p := range s.Properties {
		f.kid("properties/"+escapePointer(name), p)
	}
	for re, p := range s.PatternProperties {
		f.kid("patternProperties/"+escapePointer(re.String()), p)
	}
	switch { // what makes names known or welcome and refuses nothing
	case s.AdditionalProperties == true:
		f.text["names"] = "free"
	case s.Properties != nil && len(s.Properties) == 0:
		f.text["names"] = "none"
	}
	f.rest("additionalProperties", s.AdditionalProperties)
	for at, one := range map[string]*jsonschema.Schema{
		"propertyNames": s.PropertyNames, "unevaluatedProperties": s.UnevaluatedProperties,
		"contains": s.Contains, "unevaluatedItems": s.UnevaluatedItems,
	} {
		f.kid(at, one)
	}
	prefix, rest := itemsOf(s)
	f.list("prefixItems", prefix)
	f.rest("items", rest)
}

func (f *form) kid(at string, s *jsonschema.Schema) {
	if s != nil {
		f.kids[at] = s
	}
}

func (f *form) list(at string, all []*jsonschema.Schema) {
	for i, s := range all {
		f.kids[at+"/"+strconv.Itoa(i)] = s
	}
}

func (f *form) rest(at string, v any) {
	switch v := v.(type) {
	case bool:
		if !v {
			f.text[at] = "false"
		}
	case *jsonschema.Schema:
		f.kids[at] = v
	}
}

// itemsOf returns the schemas of the first items and that of the rest (nil, a bool or a schema), whichever draft says so how.
func itemsOf(s *jsonschema.Schema) (prefix []*jsonschema.Schema, rest any) {
	switch items := s.Items.(type) {
	case *jsonschema.Schema:
		return nil, items
	case []*jsonschema.Schema:
		return items, s.AdditionalItems
	case bool:
		return nil, items
	}
	if s.Items2020 != nil {
		return s.PrefixItems, s.Items2020
	}
	return s.PrefixItems, nil
}

// jsonText is a value as JSON, numbers in one form.
func jsonText(v any) string {
	raw, err := json.Marshal(plainNumbers(v))
	if err != nil {
		return "?"
	}
	return string(raw)
}

// plainNumbers brings 1, 1.0 and 1e0 to one form.
func plainNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if r, ok := new(big.Rat).SetString(string(v)); ok {
			if r.IsInt() && len(v) < maxNumber {
				return json.Number(r.Num().String())
			}
			if f, _ := r.Float64(); len(v) < 16 {
				return f
			}
		}
		return v
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = plainNumbers(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, e := range v {
			out[name] = plainNumbers(e)
		}
		return out
	}
	return v
}

func sortedTexts(all []any) string {
	out := make([]string, len(all))
	for i, v := range all {
		out[i] = jsonText(v)
	}
	slices.Sort(out)
	return "[" + strings.Join(slices.Compact(out), ",") + "]"
}

func sortedNames(names []string) string {
	all := make([]any, len(names))
	for i, n := range names {
		all[i] = n
	}
	return sortedTexts(all)
}
