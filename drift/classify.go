package drift

import (
	"errors"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events"
)

// Version is one version of a tool's schema.
type Version struct {
	// Name is the schema version, such as v1.
	Name   string
	Schema *Schema
}

// Versions are the versions of one tool that are known.
type Versions struct {
	// Active is the version that calls should use. A nil Schema is a tool that is not registered.
	Active Version
	// Legacy are the versions before it, the oldest first.
	Legacy []Version
	// Fallback is the version of a call that names none and fits several; empty is the oldest.
	Fallback string
	// Renames maps an argument's former name to its present one, where that is known.
	Renames map[string]string
}

// Call is one call to classify.
type Call struct {
	// Version is the version that the caller claimed; empty when it claimed none, or only in its schema_version argument.
	Version string
	// Arguments is the JSON that the model gave, or nothing.
	Arguments jsontext.Value
	// Migrated says that the arguments were brought to the active version before the tool ran.
	Migrated bool
}

// Verdict is what a call is.
type Verdict struct {
	// Class is empty when the call could not be judged, see Err.
	Class events.DriftClass
	// Version is the version that the call used, and Active the one it was judged against.
	Version string
	Active  string
	// Errors are where the arguments don't fit the active schema.
	Errors []events.ValidationError
	// Unknown are the argument names that the active schema doesn't know.
	Unknown []string
	// Defaulted are the arguments that a rename left empty and a default fills, and Renamed what they were called.
	Defaulted []string
	Renamed   []string
	// Err says why the call was not judged.
	Err error
}

// Drifted reports that the caller and the active schema have parted.
func (v *Verdict) Drifted() bool { return Drifted(v.Class) }

// Drifted reports whether a class counts as drift: all but current, not registered and not judged.
func Drifted(c events.DriftClass) bool {
	switch c {
	case events.DriftOldVersion, events.DriftSilentDefault, events.DriftUnknownArgument, events.DriftValidationError:
		return true
	}
	return false
}

// Apply writes the verdict into a call's event.
func (v *Verdict) Apply(c *events.ToolCall) {
	c.DriftClass, c.ActiveVersion, c.UsedVersion = v.Class, v.Active, v.Version
	c.ValidationErrors, c.UnknownArguments, c.DefaultedArguments = v.Errors, v.Unknown, v.Defaulted
}

// Classify judges a call against the versions of its tool. It is pure: the same input gives the same verdict.
func Classify(v *Versions, c Call) Verdict {
	if v == nil || v.Active.Schema == nil {
		return Verdict{Class: events.DriftUnregistered, Version: c.Version}
	}
	out := Verdict{Active: v.Active.Name, Version: c.Version}
	args, err := ParseArguments(c.Arguments, v.Active.Schema.limits)
	if err != nil {
		return out.broken(err)
	}
	if out.Version == "" {
		out.Version = claimOf(args)
	}
	if out.Errors, err = v.Active.Schema.Validate(args); err != nil {
		return out.broken(err)
	}
	out.Unknown = v.Active.Schema.unknownNames(args.doc)
	v.judge(&out, args, c.Migrated)
	return out
}

// Classify judges a call against this schema alone.
func (s *Schema) Classify(args jsontext.Value) Verdict {
	return Classify(&Versions{Active: Version{Schema: s}}, Call{Arguments: args})
}

// broken is the verdict on arguments that are no JSON or too much to judge.
func (v Verdict) broken(err error) Verdict {
	if errors.Is(err, ErrLimit) {
		v.Err = err
		return v
	}
	v.Class = events.DriftValidationError
	v.Errors = []events.ValidationError{{Keyword: KeywordJSON}}
	return v
}

// claimOf returns the version that a schema_version argument claims.
func claimOf(a *Arguments) string {
	m, _ := a.doc.(map[string]any)
	s, _ := m["schema_version"].(string)
	return s
}

// judge sets the class.
func (v *Versions) judge(out *Verdict, a *Arguments, migrated bool) {
	claimed := out.Version != ""
	if !claimed {
		out.Version = v.recognise(out, a)
	}
	other := out.Version != v.Active.Name
	if !migrated && len(out.Errors) == 0 && (!claimed || !other || !v.fits(out.Version, a)) {
		v.findDefaulted(out, a)
	}
	switch {
	case len(out.Defaulted) > 0:
		out.Class = events.DriftSilentDefault
	case other:
		out.Class = events.DriftOldVersion
	case len(out.Errors) > 0:
		out.Class = events.DriftValidationError
	case len(out.Unknown) > 0:
		out.Class = events.DriftUnknownArgument
	default:
		out.Class = events.DriftCurrent
	}
}

// recognise finds the version of a call that names none: the only one it fits, the fallback among several, else the active one.
func (v *Versions) recognise(out *Verdict, a *Arguments) string {
	var fitting []string
	for _, l := range v.Legacy {
		if l.Schema.fits(a) {
			fitting = append(fitting, l.Name)
		}
	}
	if len(out.Errors) == 0 && len(out.Unknown) == 0 {
		fitting = append(fitting, v.Active.Name)
	}
	switch {
	case len(fitting) == 0:
		return v.Active.Name
	case slices.Contains(fitting, v.fallback()):
		return v.fallback()
	}
	return fitting[len(fitting)-1]
}

// fallback returns the version of calls that could be of several.
func (v *Versions) fallback() string {
	if v.Fallback != "" || len(v.Legacy) == 0 {
		return v.Fallback
	}
	return v.Legacy[0].Name
}

// fits reports whether arguments are valid for a version by name, with no name that it doesn't know.
func (v *Versions) fits(version string, a *Arguments) bool {
	return slices.ContainsFunc(v.Legacy, func(l Version) bool { return l.Name == version && l.Schema.fits(a) })
}

func (s *Schema) fits(a *Arguments) bool {
	if s == nil {
		return false
	}
	invalid, err := s.Validate(a)
	return err == nil && len(invalid) == 0 && len(s.unknownNames(a.doc)) == 0
}
