package drift

import (
	"math"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// affordable reports whether validating arguments of so many values and bytes stays within the limits.
func (s *Schema) affordable(doc any, values, bytes int) bool {
	if !s.cost.branching && !s.cost.unique && s.cost.schemas*values <= s.limits.Steps &&
		s.cost.patternSize*bytes/patternBytes <= s.limits.Steps {
		return true
	}
	next := 0
	c := stepper{limit: s.limits.Steps, patterns: s.cost.patterns, known: map[stepKey]int{}}
	return c.steps(s.root, newNode(doc, &next)) <= s.limits.Steps
}

// roughly estimates the steps of validating arguments from above; ok is false where it can't.
func (s *Schema) roughly(a *Arguments) (steps int, ok bool) {
	return s.cost.schemas*a.values + s.cost.patternSize*a.bytes/patternBytes, !s.cost.branching && !s.cost.unique
}

// count counts the steps of validating arguments; it is over the limit when they are more.
func (s *Schema) count(tree *node, limit int) int {
	c := stepper{limit: limit, patterns: s.cost.patterns, known: map[stepKey]int{}}
	return c.steps(s.root, tree)
}

// patternBytes is how many instructions of a pattern times bytes of a string count as one step.
const patternBytes = 64

// stepper counts how many times schemas would be applied to values, without applying any. Counts of the same schema and value
// are kept, so that counting stays cheap where validating would not.
type stepper struct {
	limit    int
	work     int
	patterns map[string]int
	known    map[stepKey]int
}

type stepKey struct {
	schema *jsonschema.Schema
	node   int
}

// node is a value of the arguments, numbered in the order of the walk.
type node struct {
	id      int
	members map[string]*node
	items   []*node
	// length is that of a string, in bytes.
	length int
}

func newNode(v any, next *int) *node {
	n := &node{id: *next}
	*next++
	switch v := v.(type) {
	case map[string]any:
		n.members = make(map[string]*node, len(v))
		for name, e := range v {
			n.members[name] = newNode(e, next)
			n.length += len(name)
		}
	case []any:
		for _, e := range v {
			n.items = append(n.items, newNode(e, next))
		}
	case string:
		n.length = len(v)
	}
	return n
}

const tooMany = math.MaxInt32

// steps returns the count; it is over the limit when counting takes too long, or a schema applies itself to one value.
func (c *stepper) steps(s *jsonschema.Schema, n *node) int {
	key := stepKey{s, n.id}
	if k, ok := c.known[key]; ok {
		return k
	}
	if c.work++; c.work > c.limit {
		return tooMany
	}
	c.known[key] = tooMany
	total := c.own(s, n)
	for _, in := range inPlace(s) {
		total = min(total+c.steps(in, n), tooMany)
	}
	for name, m := range n.members {
		for _, in := range appliedTo(s, name) {
			total = min(total+c.steps(in, m), tooMany)
		}
	}
	for i, e := range n.items {
		for _, in := range appliedAt(s, i) {
			total = min(total+c.steps(in, e), tooMany)
		}
	}
	c.known[key] = total
	return total
}

// own counts what a schema does to a value itself.
func (c *stepper) own(s *jsonschema.Schema, n *node) int {
	total := 1 + len(s.Enum)
	if s.UniqueItems {
		total += len(n.items) * len(n.items)
	}
	if s.Pattern != nil {
		total += c.patterns[s.Pattern.String()] * n.length / patternBytes
	}
	for p := range s.PatternProperties {
		total += c.patterns[p.String()] * n.length / patternBytes
	}
	return min(total, tooMany)
}

// declaredFor lists the schemas that properties and patternProperties give a member of a name.
func declaredFor(s *jsonschema.Schema, name string) []*jsonschema.Schema {
	var all []*jsonschema.Schema
	if p, ok := s.Properties[name]; ok {
		all = append(all, p)
	}
	for re, p := range s.PatternProperties {
		if re.MatchString(name) {
			all = append(all, p)
		}
	}
	return all
}

// appliedTo lists the schemas that a schema may apply to an object's member.
func appliedTo(s *jsonschema.Schema, name string) []*jsonschema.Schema {
	all := declaredFor(s, name)
	if a, ok := s.AdditionalProperties.(*jsonschema.Schema); ok && len(all) == 0 {
		all = append(all, a)
	}
	if s.UnevaluatedProperties != nil {
		all = append(all, s.UnevaluatedProperties)
	}
	return all
}

// appliedAt lists the schemas that a schema may apply to an array's item.
func appliedAt(s *jsonschema.Schema, i int) []*jsonschema.Schema {
	var all []*jsonschema.Schema
	switch items := s.Items.(type) {
	case *jsonschema.Schema:
		all = append(all, items)
	case []*jsonschema.Schema:
		if i < len(items) {
			all = append(all, items[i])
		} else if a, ok := s.AdditionalItems.(*jsonschema.Schema); ok {
			all = append(all, a)
		}
	}
	if i < len(s.PrefixItems) {
		all = append(all, s.PrefixItems[i])
	} else if s.Items2020 != nil {
		all = append(all, s.Items2020)
	}
	for _, one := range []*jsonschema.Schema{s.Contains, s.UnevaluatedItems} {
		if one != nil {
			all = append(all, one)
		}
	}
	return all
}
