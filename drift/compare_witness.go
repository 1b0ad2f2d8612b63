package drift

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/tooltrail/tooltrail/events"
)

// json1 is the number one, as the validator takes it.
const json1 = json.Number("1")

// probe is where and with what a witness for a change is looked for.
type probe struct {
	place
	keyword string
	values  []any
}

const (
	// maxWitnesses is how many changes a witness is looked for.
	maxWitnesses = 100
	// maxTried is how many values are tried for one.
	maxTried = 160
)

// maker makes values for a witness, at the comparison's cost and with less effort than an example is worth.
func (c *comparer) maker(s *Schema) *maker {
	m := newMaker(s)
	m.left, m.steps = maxMaking/10, min(maxMakingSteps/10, max(c.work, 0))
	m.pay = func(steps int) { c.spend(steps + 1) }
	return m
}

// witnesses looks for a witness of each change that may break a call. One that the new schema refuses proves the change breaking.
func (c *comparer) witnesses() {
	looked := 0
	for i := range c.changes {
		ch := &c.changes[i]
		if ch.probe == nil || !ch.counts() || looked >= maxWitnesses || !c.spend(1) {
			continue
		}
		looked++
		ch.Witness = c.witness(ch)
		switch {
		case ch.Witness == nil:
			ch.settle()
		case ch.Aspect == AspectInput:
			ch.Class = Breaking
		}
	}
}

// witness makes an old call that a change affects, nil when none is found.
func (c *comparer) witness(ch *Change) *Witness {
	p := ch.probe
	if p.keyword == "default" {
		return c.defaultWitness(p)
	}
	var found, refused *Witness
	tried := 0
	c.candidates(p, func(v any) bool {
		if tried++; tried > maxTried || c.incomplete {
			return false
		}
		if ch.Aspect == AspectInput && !c.refuses(p, v) {
			return true
		}
		found = c.wholeCall(p, v, ch.Aspect == AspectMeaning)
		if found != nil && ch.Aspect == AspectMeaning && len(found.Errors) > 0 { // one that is ignored says more
			refused, found = found, nil
		}
		return found == nil
	})
	return cmp.Or(found, refused)
}

// candidates yields values for the place of a change.
func (c *comparer) candidates(p *probe, yield func(any) bool) {
	for _, v := range p.values {
		if !yield(v) {
			return
		}
	}
	all := p.sameValue(len(p.trail))
	m := c.maker(c.a)
	stopped, n := false, 0
	m.values(append(all, p.a), 0, func(v any) bool {
		n++
		stopped = !yield(v)
		return !stopped && n < maxTried/4
	})
	if stopped {
		return
	}
	for _, v := range c.edges(p) {
		if !yield(v) {
			return
		}
	}
}

// edges are values at the limits of either schema, and one of each type.
func (c *comparer) edges(p *probe) []any {
	var out []any
	for _, s := range []*jsonschema.Schema{p.b, p.a} {
		out = append(out, madeNumbers([]*jsonschema.Schema{s}, false)...)
		for _, n := range []int{s.MinLength - 1, s.MaxLength, s.MaxLength + 1, s.MinLength} {
			if n >= 0 && n <= maxMadeLength {
				out = append(out, strings.Repeat("x", n))
			}
		}
		out = append(out, c.sized(p, []int{s.MinItems - 1, s.MaxItems, s.MaxItems + 1, s.MinProperties - 1, s.MaxProperties + 1})...)
		out = append(out, madeStrings([]*jsonschema.Schema{s})...)
	}
	out = append(out, "other", json.Number("1.5"), json.Number("-1"), json.Number("1000000007"), true, false, nil, []any{}, map[string]any{})
	m := c.maker(c.a)
	m.optional = true
	if v, ok := m.first([]*jsonschema.Schema{p.a}, 0); ok {
		out = append(out, v)
	}
	return out
}

// sized makes arrays of some lengths, of the same item and of different ones, and objects.
func (c *comparer) sized(p *probe, lengths []int) []any {
	var out []any
	m := c.maker(c.a)
	for _, n := range lengths {
		if n <= 0 || n > maxMadeItems {
			continue
		}
		if list, ok := m.array([]*jsonschema.Schema{p.a}, n, 0); ok {
			out = append(out, list)
		}
		base, _ := m.first([]*jsonschema.Schema{p.a}, 0)
		obj, _ := base.(map[string]any)
		obj = maps.Clone(obj)
		if obj != nil {
			m.fill(obj, []*jsonschema.Schema{p.a}, n, 0)
			out = append(out, obj)
		}
	}
	if list, ok := m.array([]*jsonschema.Schema{p.a}, 2, 0); ok {
		out = append(out, list)
	}
	return out
}

// refuses reports that a value fits the old schema at the place, and not the new one, because of the keyword.
func (c *comparer) refuses(p *probe, v any) bool {
	if fits, sure := c.valid(c.a, p.a, v); !fits || !sure {
		return false
	}
	var invalid *jsonschema.ValidationError
	err, sure := c.judge(c.b, p.b, v)
	return sure && errors.As(err, &invalid) && blames(invalid, p.keyword)
}

// blames reports that a keyword is among those that failed.
func blames(e *jsonschema.ValidationError, keyword string) bool {
	first, _, _ := strings.Cut(keyword, "/")
	at, _, _ := strings.Cut(strings.TrimPrefix(e.KeywordLocation, "/"), "/")
	if keyword == "" || at == first || alsoBlamed[first] != "" && strings.Contains(alsoBlamed[first], at+" ") && at != "" {
		return true
	}
	return slices.ContainsFunc(e.Causes, func(in *jsonschema.ValidationError) bool { return blames(in, keyword) })
}

// alsoBlamed has the keywords, each with a space after it, that can refuse what a change at another keyword is about.
var alsoBlamed = map[string]string{
	"properties": "additionalProperties patternProperties ", "prefixItems": "items additionalItems ", "items": "additionalItems ",
	"allOf": "$ref ", "if": "then else ", "dependentRequired": "dependencies ", "dependentSchemas": "dependencies ",
	"patternProperties": "additionalProperties ", "minimum": "exclusiveMinimum ", "maximum": "exclusiveMaximum ",
}

// sameValue lists the old schemas that apply to the same value as what the first n steps lead to.
func (p *probe) sameValue(n int) []*jsonschema.Schema {
	var all []*jsonschema.Schema
	for i := n - 1; i >= 0 && p.trail[i].kind == '='; i-- {
		all = append(all, p.trail[i].from)
	}
	return all
}

// wholeCall puts a value into a call and holds the call against both schemas. Where the change is one of meaning, a call that the
// new schema takes, but with a name that it doesn't know, is one too.
func (c *comparer) wholeCall(p *probe, v any, meaning bool) *Witness {
	m := c.maker(c.a)
	for i, s := range slices.Backward(p.trail) {
		all := append([]*jsonschema.Schema{s.from}, p.sameValue(i)...)
		switch s.kind {
		case 'm':
			base, _ := m.first(all, 0)
			obj, _ := base.(map[string]any)
			obj = maps.Clone(obj)
			if obj == nil {
				obj = map[string]any{}
			}
			obj[s.name] = v
			v = obj
		case 'i':
			list, ok := m.array(all, max(s.at+1, s.from.MinItems), 0)
			if !ok || s.at >= len(list) {
				list = make([]any, s.at+1)
			}
			list[s.at] = v
			v = list
		}
	}
	return c.asWitness(v, meaning)
}

// asWitness checks a whole call with the validator.
func (c *comparer) asWitness(call any, meaning bool) *Witness {
	if _, ok := call.(map[string]any); !ok {
		return nil
	}
	if fits, sure := c.valid(c.a, c.a.root, call); !fits || !sure {
		return nil
	}
	fits, sure := c.valid(c.b, c.b.root, call)
	if !sure {
		return nil
	}
	raw, err := json.Marshal(call)
	if err != nil || len(raw) > maxMadeLength {
		return nil
	}
	w := &Witness{Arguments: raw}
	if !fits {
		w.Errors = c.b.errorsOf(call)
		return w
	}
	if w.Ignored = c.b.unknownNames(call); !meaning || len(w.Ignored) == 0 {
		return nil
	}
	return w
}

// errorsOf lists where a call does not fit.
func (s *Schema) errorsOf(call any) []events.ValidationError {
	var invalid *jsonschema.ValidationError
	if !errors.As(s.validate(call), &invalid) {
		return nil
	}
	c := collector{doc: call, limit: s.limits.Errors}
	c.collect(invalid)
	return c.sorted()
}

// defaultWitness is the smallest old call, where it leaves out a property whose default changed.
func (c *comparer) defaultWitness(p *probe) *Witness {
	v, ok := c.maker(c.a).first([]*jsonschema.Schema{c.a.root}, 0)
	obj, isObject := v.(map[string]any)
	if !ok || !isObject || len(p.values) == 0 {
		return nil
	}
	obj = maps.Clone(obj)
	delete(obj, p.values[0].(string))
	if fits, sure := c.valid(c.a, c.a.root, obj); !fits || !sure {
		return nil
	}
	if fits, sure := c.valid(c.b, c.b.root, obj); !fits || !sure {
		return nil
	}
	raw, err := json.Marshal(obj)
	if err != nil {
		return nil
	}
	return &Witness{Arguments: raw}
}
