package drift

import (
	"math"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// affordable reports whether validating arguments of so many values and bytes stays within the limits.
func (s *Schema) affordable(doc any, values, bytes int) bool {
	if n, ok := s.rough(values, bytes); ok && n <= s.limits.Steps {
		return true
	}
	next := 0
	c := stepper{limit: s.limits.Steps, patterns: s.cost.patterns, known: map[stepKey]tally{}}
	return c.steps(s.root, newNode(doc, &next)) <= s.limits.Steps
}

// roughly estimates the steps of validating arguments from above; ok is false where it can't.
func (s *Schema) roughly(a *Arguments) (steps int, ok bool) { return s.rough(a.values, a.bytes) }

func (s *Schema) rough(values, bytes int) (steps int, ok bool) {
	each := 1 + s.cost.place + min(bytes, maxPlace)/stepBytes
	return s.cost.schemas*values*each + s.cost.patternSize*bytes/patternBytes, !s.cost.branching && !s.cost.unique
}

// count counts the steps of validating arguments; it is over the limit when they are more.
func (s *Schema) count(tree *node, limit int) int {
	c := stepper{limit: limit, patterns: s.cost.patterns, known: map[stepKey]tally{}}
	return c.steps(s.root, tree)
}

// patternBytes is how many instructions of a pattern times bytes of a string count as one step.
const patternBytes = 64

// stepBytes is about what a step that fails allocates; what is said of places far down counts as more steps.
const stepBytes = 600

// stepper counts how many times schemas would be applied to values, without applying any. Counts of the same schema and value
// are kept, so that counting stays cheap where validating would not.
type stepper struct {
	limit    int
	work     int
	patterns map[string]int
	known    map[stepKey]tally
}

// tally is what applying a schema to a value comes to, with all schemas that it applies.
type tally struct {
	steps float64
	// uses is how many times a schema is applied.
	uses float64
	// depth and length are the sums, over the uses, of how many schemas lead there and of how long the location is, in bytes; both is
	// the sum of their products. The library puts a location together piece by piece each time that it says one.
	depth, length, both float64
}

// add adds what a schema comes to that is a segment of so many bytes further down.
func (t *tally) add(in tally, segment int) {
	s := float64(segment)
	t.steps += in.steps
	t.uses += in.uses
	t.depth += in.depth + in.uses
	t.length += in.length + s*in.uses
	t.both += in.both + in.length + s*(in.depth+in.uses)
}

// total is the count, locations taken into account.
func (t *tally) total() int {
	return int(min(t.steps+t.both/(2*stepBytes), tooMany))
}

// endless is the tally of what has no end that was found.
var endless = tally{steps: tooMany, uses: 1}

// segment is how much longer the location of a schema is than that of the one which applies it.
func segment(from, to *jsonschema.Schema) int {
	if strings.HasPrefix(to.Location, from.Location) {
		return max(len(to.Location)-len(from.Location), len("/$ref"))
	}
	return len("/$ref")
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
	// pointer is the length of the JSON pointer to it, in bytes.
	pointer int
}

func newNode(v any, next *int) *node { return nodeAt(v, next, 0) }

func nodeAt(v any, next *int, pointer int) *node {
	n := &node{id: *next, pointer: pointer}
	*next++
	switch v := v.(type) {
	case map[string]any:
		n.members = make(map[string]*node, len(v))
		for name, e := range v {
			n.members[name] = nodeAt(e, next, pointer+1+len(name))
			n.length += len(name)
		}
	case []any:
		for _, e := range v {
			n.items = append(n.items, nodeAt(e, next, pointer+indexLength))
		}
	case string:
		n.length = len(v)
	}
	return n
}

const tooMany = math.MaxInt32

// steps returns the count; it is over the limit when counting takes too long, or a schema applies itself to one value.
func (c *stepper) steps(s *jsonschema.Schema, n *node) int {
	t := c.tally(s, n)
	return t.total()
}

func (c *stepper) tally(s *jsonschema.Schema, n *node) tally {
	key := stepKey{s, n.id}
	if t, ok := c.known[key]; ok {
		return t
	}
	if c.work++; c.work > c.limit {
		return endless
	}
	c.known[key] = endless
	total := tally{steps: float64(c.own(s, n)), uses: 1}
	for _, in := range inPlace(s) {
		total.add(c.tally(in, n), segment(s, in))
	}
	for name, m := range n.members {
		for _, in := range appliedTo(s, name) {
			total.add(c.tally(in, m), segment(s, in))
		}
	}
	for i, e := range n.items {
		for _, in := range appliedAt(s, i) {
			total.add(c.tally(in, e), segment(s, in))
		}
	}
	c.known[key] = total
	return total
}

// own counts what a schema does to a value itself.
func (c *stepper) own(s *jsonschema.Schema, n *node) int {
	total := 1 + len(s.Enum) + n.pointer/stepBytes
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
