package drift

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events"
)

// Class answers, for one change of an input schema: do old calls stay valid, and mean the same?
type Class string

// The classes of a change. A class is proved or it is unknown.
const (
	// Breaking is that some old call is refused, loses a value, or means something else.
	Breaking Class = "breaking"
	// NonBreaking is that every old call stays valid and means the same.
	NonBreaking Class = "non_breaking"
	// UnknownClass is that neither could be proved.
	UnknownClass Class = "unknown"
)

// rank orders classes by how much attention they need.
func (c Class) rank() int {
	switch c {
	case Breaking:
		return 2
	case UnknownClass:
		return 1
	}
	return 0
}

// Aspect is what a change touches. Only changes of [AspectInput] and [AspectMeaning] can break a call.
type Aspect string

// The aspects.
const (
	// AspectInput is which arguments are valid.
	AspectInput Aspect = "input"
	// AspectMeaning is what valid arguments do: defaults, and names that are no longer read.
	AspectMeaning Aspect = "meaning"
	// AspectDescription is a text for the model: description, title, examples.
	AspectDescription Aspect = "description"
	// AspectAnnotation is anything beside the schema: hints, icons, keywords that no validator knows.
	AspectAnnotation Aspect = "annotation"
)

// Change is one difference between two schemas.
type Change struct {
	// Path is a JSON pointer into the schema to the keyword that changed, or to the property that came or went; references are
	// followed, so that it may lead through one. A pointer that starts with a definition's own member, such as /annotations, is
	// relative to the definition where Aspect is annotation or description.
	Path   string `json:"path"`
	Kind   string `json:"kind"`
	Aspect Aspect `json:"aspect"`
	Class  Class  `json:"class"`
	// Old and New are the keyword's values, where they are short enough to show.
	Old jsontext.Value `json:"old,omitzero"`
	New jsontext.Value `json:"new,omitzero"`
	// Note says what it means for callers, where the kind does not.
	Note string `json:"note,omitzero"`
	// Witness is an old call that the change affects, where one could be made.
	Witness *Witness `json:"witness,omitzero"`

	probe *probe
}

// Witness is a call that was valid by the old schema and no longer is, or no longer means the same. It is made from the schemas,
// never from a recorded call, and was checked with the validator.
type Witness struct {
	Arguments jsontext.Value `json:"arguments"`
	// Errors are where the new schema refuses it; none when it is still accepted.
	Errors []events.ValidationError `json:"errors,omitzero"`
	// Ignored are the names in it that the new schema does not know.
	Ignored []string `json:"ignored,omitzero"`
}

// Comparison is what changed from one schema of a tool to another.
type Comparison struct {
	Tool string `json:"tool,omitzero"`
	// Class is the gravest of the changes that can break a call.
	Class   Class    `json:"class"`
	Changes []Change `json:"changes"`
	// Renames are hints, each with its evidence: properties that may have a new name.
	Renames []FieldRename `json:"renames,omitzero"`
	// Incomplete says that comparing was stopped by the limits; the class is then breaking or unknown.
	Incomplete bool `json:"incomplete,omitzero"`
}

// Count returns how many changes of a class can break a call.
func (c *Comparison) Count(class Class) int {
	n := 0
	for i := range c.Changes {
		if c.Changes[i].counts() && c.Changes[i].Class == class {
			n++
		}
	}
	return n
}

func (c *Change) counts() bool { return c.Aspect == AspectInput || c.Aspect == AspectMeaning }

// CompareOptions are what a comparison is told. The zero value compares under [DefaultLimits] without an alias table.
type CompareOptions struct {
	Limits Limits
	// Aliases maps a property's former name to its present one: a rename that is known, not guessed.
	Aliases map[string]string
}

// ErrCompare is in the chain of the error for definitions that can't be compared.
var ErrCompare = errors.New("can't be compared")

// CompareTools compares two definitions of one tool, in any form that [events.ParseTool] reads. The error says which of them
// can't be read or compiled.
func CompareTools(before, after []byte, o CompareOptions) (*Comparison, error) {
	a, err := events.ParseTool(before)
	if err != nil {
		return nil, fmt.Errorf("read the old definition: %w: %w", ErrCompare, err)
	}
	b, err := events.ParseTool(after)
	if err != nil {
		return nil, fmt.Errorf("read the new definition: %w: %w", ErrCompare, err)
	}
	out, err := CompareSchemas(schemaOf(a), schemaOf(b), o)
	if err != nil {
		return nil, err
	}
	out.Tool = b.Name
	around, err := compareAround(before, after, o.Limits.orDefault())
	if err != nil {
		return nil, err
	}
	out.Changes = append(out.Changes, around...)
	return out, nil
}

// schemaOf returns a tool's input schema; a tool without one takes anything.
func schemaOf(t events.Tool) jsontext.Value {
	if len(t.Schema) == 0 || t.Schema.Kind() == jsontext.KindNull {
		return jsontext.Value("true")
	}
	return t.Schema
}

// CompareSchemas compares two bare input schemas. Calls are taken to keep to the old schema: they are valid by it and name no
// argument that it doesn't know. The error says which of them can't be compiled.
func CompareSchemas(before, after []byte, o CompareOptions) (*Comparison, error) {
	l := o.Limits.orDefault()
	a, err := CompileSchema(before, l)
	if err != nil {
		return nil, fmt.Errorf("compile the old schema: %w: %w", ErrCompare, err)
	}
	b, err := CompileSchema(after, l)
	if err != nil {
		return nil, fmt.Errorf("compile the new schema: %w: %w", ErrCompare, err)
	}
	c := newComparer(a, b, o)
	c.walk(place{a: a.root, b: b.root, loose: true})
	if err := c.compareText(before, after); err != nil {
		return nil, err
	}
	return c.finish(), nil
}
