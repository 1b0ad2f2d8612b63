package drift

import (
	"encoding/json"
	"math/big"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// types is a set of JSON types. A number is an integer or has a fraction.
type types uint8

const (
	typeNull types = 1 << iota
	typeBoolean
	typeObject
	typeArray
	typeString
	typeInteger
	typeFraction
	typeNumber = typeInteger | typeFraction
	typeAny    = typeNull | typeBoolean | typeObject | typeArray | typeString | typeNumber
)

var typeByName = map[string]types{
	"null": typeNull, "boolean": typeBoolean, "object": typeObject, "array": typeArray, "string": typeString,
	"integer": typeInteger, "number": typeNumber,
}

// typesOf returns the types that a schema's type keyword allows, all where it has none.
func typesOf(s *jsonschema.Schema) types {
	if s.Always != nil && !*s.Always {
		return 0
	}
	if len(s.Types) == 0 {
		return typeAny
	}
	var t types
	for _, name := range s.Types {
		t |= typeByName[name]
	}
	return t
}

// allowedTypes also takes const and enum into account.
func allowedTypes(s *jsonschema.Schema) types {
	t := typesOf(s)
	if len(s.Constant) > 0 {
		t &= typeOfValue(s.Constant[0])
	}
	if s.Enum != nil {
		var of types
		for _, v := range s.Enum {
			of |= typeOfValue(v)
		}
		t &= of
	}
	return t
}

func typeOfValue(v any) types {
	switch v := v.(type) {
	case nil:
		return typeNull
	case bool:
		return typeBoolean
	case map[string]any:
		return typeObject
	case []any:
		return typeArray
	case string:
		return typeString
	case json.Number:
		if r, ok := new(big.Rat).SetString(string(v)); ok && r.IsInt() {
			return typeInteger
		}
		return typeFraction
	}
	return typeAny
}

// typeNames lists a set of types by name, in a fixed order.
func typeNames(t types) []string {
	var names []string
	for _, n := range []string{"array", "boolean", "null", "object", "string"} {
		if t&typeByName[n] != 0 {
			names = append(names, n)
		}
	}
	switch {
	case t&typeFraction != 0:
		names = append(names, "number")
	case t&typeInteger != 0:
		names = append(names, "integer")
	}
	return names
}

// bound is the end of a range of numbers. A nil at is no bound.
type bound struct {
	at   *big.Rat
	open bool
}

// lowerOf returns the lower bound of the numbers that a schema allows; for integers alone it is the least integer.
func lowerOf(s *jsonschema.Schema, whole bool) bound {
	b := bound{at: s.Minimum}
	if e := s.ExclusiveMinimum; e != nil && (b.at == nil || e.Cmp(b.at) >= 0) {
		b = bound{at: e, open: true}
	}
	return b.whole(whole, 1)
}

// upperOf returns the upper bound, as lowerOf does the lower.
func upperOf(s *jsonschema.Schema, whole bool) bound {
	b := bound{at: s.Maximum}
	if e := s.ExclusiveMaximum; e != nil && (b.at == nil || e.Cmp(b.at) <= 0) {
		b = bound{at: e, open: true}
	}
	return b.whole(whole, -1)
}

// whole moves a bound to the nearest integer inside; up is 1 for a lower bound and -1 for an upper one.
func (b bound) whole(only bool, up int64) bound {
	if !only || b.at == nil {
		return b
	}
	if b.at.IsInt() {
		if b.open {
			return bound{at: new(big.Rat).Add(b.at, big.NewRat(up, 1))}
		}
		return b
	}
	floor := new(big.Int).Div(b.at.Num(), b.at.Denom()) // Euclidean: rounds down for a positive denominator
	if up > 0 {
		floor.Add(floor, big.NewInt(1))
	}
	return bound{at: new(big.Rat).SetInt(floor)}
}

// within reports that a lower bound (sign 1) or upper bound (sign -1) lets through no more than another does.
func (b bound) within(of bound, sign int) bool {
	if of.at == nil {
		return true
	}
	if b.at == nil {
		return false
	}
	c := b.at.Cmp(of.at) * sign
	return c > 0 || c == 0 && (b.open || !of.open)
}

// divides reports that every multiple of a is one of b.
func divides(a, b *big.Rat) bool {
	return a != nil && new(big.Rat).Quo(a, b).IsInt()
}
