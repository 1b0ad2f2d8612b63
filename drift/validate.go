package drift

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/tooltrail/tooltrail/events"
)

const (
	// KeywordJSON is the keyword of the validation error for arguments that are no JSON.
	KeywordJSON = "json"
	// KeywordSchema is the keyword of the validation error for a value where the schema allows none.
	KeywordSchema = "schema"
)

// Arguments are a call's arguments, decoded once to be held against several schemas.
type Arguments struct {
	doc    any
	values int
	bytes  int
}

// ParseArguments decodes a call's arguments under the limits. No arguments at all are {}. The error says that they are no JSON,
// or has [ErrLimit] in its chain.
func ParseArguments(raw jsontext.Value, l Limits) (*Arguments, error) {
	l = l.orDefault()
	if len(strings.TrimSpace(string(raw[:min(len(raw), 64)]))) == 0 && len(raw) <= 64 {
		raw = jsontext.Value("{}")
	}
	if len(raw) > l.ArgumentBytes {
		return nil, fmt.Errorf("parse arguments of %d bytes: %w", len(raw), ErrLimit)
	}
	doc, n, err := readValue(raw, l.ArgumentDepth, l.ArgumentBytes, l.ArgumentBytes)
	if err != nil {
		return nil, fmt.Errorf("parse arguments: %w", err)
	}
	return &Arguments{doc: doc, values: n, bytes: len(raw)}, nil
}

// Validate holds arguments against the schema and returns where they don't fit, sorted by path; none when they fit. The error
// has [ErrLimit] in its chain when checking would take too long.
func (s *Schema) Validate(a *Arguments) ([]events.ValidationError, error) {
	invalid, err := s.check(a)
	if invalid == nil || err != nil {
		return nil, err
	}
	c := collector{doc: a.doc, limit: s.limits.Errors, schemas: s.located()}
	c.collect(invalid)
	return c.sorted(), nil
}

// check returns the library's error, nil when the arguments fit.
func (s *Schema) check(a *Arguments) (*jsonschema.ValidationError, error) {
	if !s.affordable(a.doc, a.values, a.bytes) {
		return nil, fmt.Errorf("validate arguments: %w", ErrLimit)
	}
	err := s.validate(a.doc)
	if err == nil {
		return nil, nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return nil, fmt.Errorf("validate arguments: %w", ErrLimit)
	}
	return invalid, nil
}

// validate calls the library; what it panics with is an error.
func (s *Schema) validate(doc any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errors.New("validate arguments: the schema can't be applied")
		}
	}()
	return s.root.Validate(doc)
}

// collector turns the library's tree of errors into a list.
type collector struct {
	doc   any
	limit int
	// schemas are those that messages tell of, by their location; nil leaves messages out.
	schemas map[string]*jsonschema.Schema
	all     []events.ValidationError
}

// collect goes down to what failed; at a choice of schemas it is the choice.
func (c *collector) collect(e *jsonschema.ValidationError) {
	if len(e.Causes) == 0 || isChoice(e.KeywordLocation) {
		c.add(e, keywordOf(e.KeywordLocation))
		return
	}
	for _, cause := range e.Causes {
		c.collect(cause)
	}
}

func isChoice(location string) bool {
	last := location[strings.LastIndexByte(location, '/')+1:]
	switch last {
	case "anyOf", "oneOf", "not", "contains", "minContains":
		return true
	}
	return false
}

func (c *collector) add(e *jsonschema.ValidationError, keyword string) {
	if s := c.schemas[e.AbsoluteKeywordLocation]; s != nil && s.Always != nil {
		keyword = KeywordSchema // it is the schema false, not a keyword of one
	}
	v := events.ValidationError{Path: e.InstanceLocation, Keyword: keyword}
	if keyword != "required" {
		c.put(v, e)
		return
	}
	for _, name := range missingNames(e.Message) {
		v.Path = e.InstanceLocation + "/" + escapePointer(name)
		c.put(v, e)
	}
}

func (c *collector) put(v events.ValidationError, e *jsonschema.ValidationError) {
	same := func(o events.ValidationError) bool { return o.Path == v.Path && o.Keyword == v.Keyword }
	if slices.ContainsFunc(c.all, same) || len(c.all) >= 4*c.limit {
		return
	}
	if c.schemas != nil {
		v.Message = c.message(e, v.Keyword)
	}
	c.all = append(c.all, v)
}

func (c *collector) sorted() []events.ValidationError {
	slices.SortFunc(c.all, compareErrors)
	return c.all[:min(len(c.all), c.limit)]
}

// missingNames reads the names out of the library's message, missing properties: 'a', 'b'.
func missingNames(message string) []string {
	_, list, ok := strings.Cut(message, "'")
	if !ok {
		return []string{""}
	}
	return strings.Split(strings.TrimSuffix(list, "'"), "', '")
}

// fits reports whether arguments are valid, with no name that the schema doesn't know.
func (s *Schema) fits(a *Arguments) bool {
	if s == nil {
		return false
	}
	invalid, err := s.check(a)
	return err == nil && invalid == nil && len(s.unknownNames(a.doc)) == 0
}
