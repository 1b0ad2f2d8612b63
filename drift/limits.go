package drift

import "errors"

// Limits bound what a definition and a call may cost. The zero Limits are [DefaultLimits].
type Limits struct {
	// SchemaBytes is the longest input schema.
	SchemaBytes int
	// SchemaDepth is how deep objects and arrays in it may nest.
	SchemaDepth int
	// SchemaNodes is how many objects, arrays and values it may have.
	SchemaNodes int
	// Schemas is how many schemas it may hold; compiling takes time by its square.
	Schemas int
	// ListItems is how long a list in it may be, such as an enum; some drafts compare each item with each.
	ListItems int
	// PatternSize is the largest regular expression, in instructions of its compiled form; a larger one is not checked.
	PatternSize int
	// ArgumentBytes is the longest arguments object that is judged.
	ArgumentBytes int
	// ArgumentDepth is how deep it may nest.
	ArgumentDepth int
	// Steps is how many times a schema may be applied to a value in one validation, estimated before it starts.
	Steps int
	// Errors is how many validation errors a verdict lists.
	Errors int
}

// DefaultLimits returns limits that real definitions are far below and that keep one compile or validation under a second.
func DefaultLimits() Limits {
	return Limits{
		SchemaBytes:   256 << 10,
		SchemaDepth:   64,
		SchemaNodes:   50_000,
		Schemas:       2_000,
		ListItems:     4_096,
		PatternSize:   2_000,
		ArgumentBytes: 256 << 10,
		ArgumentDepth: 64,
		Steps:         200_000,
		Errors:        16,
	}
}

// Validate reports the first limit that is not positive.
func (l Limits) Validate() error {
	for _, n := range []int{
		l.SchemaBytes, l.SchemaDepth, l.SchemaNodes, l.Schemas, l.ListItems, l.PatternSize, l.ArgumentBytes, l.ArgumentDepth,
		l.Steps, l.Errors,
	} {
		if n <= 0 {
			return errors.New("check drift limits: each limit is positive")
		}
	}
	return nil
}

func (l Limits) orDefault() Limits {
	if l == (Limits{}) {
		return DefaultLimits()
	}
	return l
}

// ErrLimit is in the chain of the error for a schema or arguments beyond the [Limits].
var ErrLimit = errors.New("beyond the limits")

var errNotJSON = errors.New("not JSON")
