package drift

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// maxMessage bounds the message of a validation error, in bytes.
const maxMessage = 200

// located lists the schema's parts by their location. It is made when the first arguments don't fit.
func (s *Schema) located() map[string]*jsonschema.Schema {
	s.locate.Do(func() {
		s.parts = map[string]*jsonschema.Schema{}
		todo := []*jsonschema.Schema{s.root}
		for len(todo) > 0 {
			in := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if s.parts[in.Location] != nil {
				continue
			}
			s.parts[in.Location] = in
			todo = append(append(todo, inPlace(in)...), below(in)...)
		}
	})
	return s.parts
}

// message says what the schema wants at a place, in words of the schema and JSON types: never with anything of the value that is there.
func (c *collector) message(e *jsonschema.ValidationError, keyword string) string {
	s := c.schemaOf(e.AbsoluteKeywordLocation)
	if s == nil {
		return "does not fit " + cut(keyword)
	}
	switch keyword {
	case "type":
		return cut("want " + strings.Join(s.Types, " or ") + ", got " + c.typeAt(e.InstanceLocation))
	case "required":
		return "is required"
	case "enum":
		return oneOf(s.Enum)
	case "const":
		return oneOf(s.Constant)
	case "pattern":
		if s.Pattern != nil {
			return cut("want a string that matches " + s.Pattern.String())
		}
	case "format":
		return cut("want a string of format " + s.Format)
	}
	if text := boundText(s, keyword); text != "" {
		return text
	}
	return structureText(s, keyword)
}

// boundText says what a bound allows; "" for another keyword.
func boundText(s *jsonschema.Schema, keyword string) string {
	switch keyword {
	case "minimum":
		return "want " + ratText(s.Minimum) + " at least"
	case "maximum":
		return "want " + ratText(s.Maximum) + " at most"
	case "exclusiveMinimum":
		return "want more than " + ratText(s.ExclusiveMinimum)
	case "exclusiveMaximum":
		return "want less than " + ratText(s.ExclusiveMaximum)
	case "multipleOf":
		return "want a multiple of " + ratText(s.MultipleOf)
	case "minLength":
		return count(s.MinLength, "character", "at least")
	case "maxLength":
		return count(s.MaxLength, "character", "at most")
	case "minItems":
		return count(s.MinItems, "item", "at least")
	case "maxItems":
		return count(s.MaxItems, "item", "at most")
	case "minProperties":
		return count(s.MinProperties, "member", "at least")
	case "maxProperties":
		return count(s.MaxProperties, "member", "at most")
	}
	return ""
}

// structureText says what keywords want that apply other schemas.
func structureText(s *jsonschema.Schema, keyword string) string {
	switch keyword {
	case "anyOf":
		return "fits none of the " + strconv.Itoa(len(s.AnyOf)) + " alternatives"
	case "oneOf":
		return "does not fit exactly one of the " + strconv.Itoa(len(s.OneOf)) + " alternatives"
	case "not":
		return "is what the schema rules out"
	case "additionalProperties", "unevaluatedProperties":
		return "has a name that the schema does not allow"
	case "additionalItems", "unevaluatedItems":
		return "has more items than the schema allows"
	case "uniqueItems":
		return "has the same item twice"
	case "contains", "minContains":
		return "has too few items of those that it must contain"
	case "maxContains":
		return "has too many items of those that it may contain"
	case "dependentRequired", "dependencies":
		return "lacks a name that another one requires"
	case KeywordSchema:
		return "is not allowed here"
	}
	return cut("does not fit " + keyword)
}

// schemaOf finds the schema that a keyword's location is in.
func (c *collector) schemaOf(location string) *jsonschema.Schema {
	for location != "" {
		if s := c.schemas[location]; s != nil {
			return s
		}
		i := strings.LastIndexByte(location, '/')
		if i < 0 {
			return nil
		}
		location = location[:i]
		if s := c.schemas[strings.TrimSuffix(location, "#")]; s != nil {
			return s
		}
	}
	return nil
}

// typeAt names the JSON type of the value at a place.
func (c *collector) typeAt(path string) string {
	v := c.doc
	for _, part := range parts(path) {
		switch in := v.(type) {
		case map[string]any:
			v = in[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(in) {
				return "another type"
			}
			v = in[i]
		default:
			return "another type"
		}
	}
	return typeName(v)
}

func typeName(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case json.Number:
		if isWhole(v.String()) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

func count(n int, what, bound string) string {
	if n != 1 {
		what += "s"
	}
	return "want " + strconv.Itoa(n) + " " + what + " " + bound
}

// ratText writes a bound of the schema; it is short where that is exact.
func ratText(r *big.Rat) string {
	if r == nil {
		return "another number"
	}
	if r.IsInt() {
		return cutTo(r.Num().String(), 40)
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// oneOf lists values of the schema, as many as there is room for.
func oneOf(values []any) string {
	if len(values) == 1 {
		return cut("want " + jsonText(values[0]))
	}
	text := "want one of "
	for i, v := range values {
		next := jsonText(v)
		if i > 0 {
			next = ", " + next
		}
		if len(text)+len(next) > maxMessage-20 {
			return cut(text + " and " + strconv.Itoa(len(values)-i) + " more")
		}
		text += next
	}
	return text
}

func cut(text string) string { return cutTo(text, maxMessage) }

// cutTo shortens a text to so many bytes, at a character's end.
func cutTo(text string, limit int) string {
	text = strings.ToValidUTF8(text, "?")
	if len(text) <= limit {
		return text
	}
	const end = "..."
	n := limit - len(end)
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + end
}
