package drift

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/tooltrail/tooltrail/events"
)

// ErrNoExample is in the chain of the error for a schema for which no valid arguments could be made. There may be some.
var ErrNoExample = errors.New("no valid example could be made")

// Example returns arguments that are valid by the schema and hold as little as they can: what is required, at its least. Values
// come from const, enum, the schema's own examples and defaults, else they are made up. It was checked with the validator; where
// none could be made, the error has [ErrNoExample] or [ErrLimit] in its chain and says why.
func (s *Schema) Example() (jsontext.Value, error) {
	m := newMaker(s)
	var found any
	ok := m.values([]*jsonschema.Schema{s.root}, 0, func(v any) bool {
		_, isObject := v.(map[string]any)
		if !isObject || !m.fits(s.root, v) {
			m.note(v)
			return true
		}
		found = v
		return false
	})
	switch {
	case found != nil:
		return encodeExample(found, s.limits)
	case !ok:
		return nil, fmt.Errorf("make an example: %w: too much to try: %w", ErrNoExample, ErrLimit)
	}
	return nil, fmt.Errorf("make an example: %w: %s", ErrNoExample, m.why())
}

func encodeExample(v any, l Limits) (jsontext.Value, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("make an example: %w: %w", ErrNoExample, err)
	}
	if len(raw) > l.ArgumentBytes {
		return nil, fmt.Errorf("make an example of %d bytes: %w: %w", len(raw), ErrNoExample, ErrLimit)
	}
	return raw, nil
}

const (
	// maxMaking is how many values are tried for one example.
	maxMaking = 5_000
	// maxMakingSteps is how many times schemas are applied to values in making one. A step that fails takes about a microsecond and
	// 600 bytes; no real tool's example that was tried needed more than 50 steps.
	maxMakingSteps = 200_000
	// maxMakingDepth is how deep an example nests; a recursive schema ends sooner.
	maxMakingDepth = 12
	// maxMadeLength and maxMadeItems bound strings and arrays that are made up.
	maxMadeLength = 4_096
	maxMadeItems  = 64
)

// maker makes values that fit schemas.
type maker struct {
	s    *Schema
	left int
	// steps is how many times schemas may still be applied to values.
	steps int
	// optional has every property that is known given, not only the required ones.
	optional bool
	failed   []events.ValidationError
	// pay, where set, is told of the steps taken.
	pay func(steps int)
}

func newMaker(s *Schema) *maker { return &maker{s: s, left: maxMaking, steps: maxMakingSteps} }

// fits reports that a value is valid by one of the schema's parts.
func (m *maker) fits(part *jsonschema.Schema, v any) bool {
	steps, refusal, sure := m.s.judgePart(part, v, m.steps)
	m.steps -= steps
	if m.pay != nil {
		m.pay(steps)
	}
	return sure && refusal == nil
}

// why says what the last tries failed on.
func (m *maker) why() string {
	if len(m.failed) == 0 {
		return "the schema's keywords leave nothing that could be found"
	}
	return fmt.Sprintf("tries fail on %q at %q", m.failed[0].Keyword, m.failed[0].Path)
}

// note keeps what the first try failed on.
func (m *maker) note(v any) {
	var invalid *jsonschema.ValidationError
	if len(m.failed) > 0 {
		return
	}
	if _, refusal, sure := m.s.judgePart(m.s.root, v, m.steps); !sure || !errors.As(refusal, &invalid) {
		return
	}
	c := collector{doc: v, limit: 1}
	c.collect(invalid)
	m.failed = c.sorted()
}

// judgePart holds a value against a part of the schema, unless that takes more than so many steps; it returns how many it took, and
// why the value does not fit. sure is false when it was not done.
func (s *Schema) judgePart(part *jsonschema.Schema, v any, limit int) (steps int, refusal error, sure bool) {
	next := 0
	n := newNode(v, &next)
	c := stepper{limit: min(limit, s.limits.Steps), patterns: s.cost.patterns, known: map[stepKey]tally{}}
	steps = c.steps(part, n)
	if steps > c.limit {
		return next + min(c.work, c.limit), nil, false
	}
	var invalid *jsonschema.ValidationError
	err := (&Schema{root: part}).validate(v)
	return next + steps, err, err == nil || errors.As(err, &invalid)
}
