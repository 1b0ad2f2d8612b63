package drift

import (
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events"
)

// Version is one version of a tool's schema.
type Version struct {
	// Name is the schema version, such as v1.
	Name   string
	Schema *Schema
	// Definition is the tool's definition as it was registered, where it is known.
	Definition jsontext.Value
}

// Versions are the versions of one tool that are known.
type Versions struct {
	// Active is the version that calls should use. A nil Schema is a tool that is not registered.
	Active Version
	// Legacy are the other versions that calls may be of, the oldest first.
	Legacy []Version
	// Retired are versions that no call should be of, the oldest first.
	Retired []Version
	// Fallback is the version of a call that names none and fits several; empty is the oldest.
	Fallback string
	// Renames maps an argument's former name to its present one, where that is known.
	Renames map[string]string
	// Migrations bring arguments from version to version.
	Migrations []Migration
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

// Verdict is what a call is. No place in it holds a value: names of members that look like one are *, see [events.PlaceName], unless a
// version of the tool declares them. The names of unknown arguments are told as the model gave them, up to 128 bytes.
type Verdict struct {
	// Class is empty when the call could not be judged, see Err.
	Class events.DriftClass
	// Version is the version that the call used, and Active the one it was judged against. It is what the caller claimed, where that
	// version is known, else the one that the arguments fit, else the active one.
	Version string
	Active  string
	// Claimed is the version that the caller claimed, and Claim what there is to it.
	Claimed string
	Claim   Claim
	// Errors are where the arguments don't fit the active schema.
	Errors []events.ValidationError
	// Unknown are the argument names that the active schema doesn't know.
	Unknown []string
	// ClaimErrors and ClaimUnknown are the same against the version that was claimed, where they disagree with it and it is not the
	// active one.
	ClaimErrors  []events.ValidationError
	ClaimUnknown []string
	// Fits is the version that the arguments fit where they disagree with the claimed one; empty when they fit none.
	Fits string
	// Defaulted are the arguments that a rename left empty and a default fills, and Renamed what they were called.
	Defaulted []string
	Renamed   []string
	// Aliases are the present names of unknown arguments, where the tool's owner said so.
	Aliases map[string]string
	// Err says why the call was not judged.
	Err error
}

// Claim is what a call's claim of a version is worth.
type Claim string

// The claims.
const (
	// ClaimNone is a call that names no version.
	ClaimNone Claim = ""
	// ClaimFits is a version that the arguments fit.
	ClaimFits Claim = "fits"
	// ClaimDisagrees is a known version that the arguments do not fit.
	ClaimDisagrees Claim = "disagrees"
	// ClaimUnknown is a version that nobody knows: the call is judged as if it claimed none.
	ClaimUnknown Claim = "unknown"
)

// KeywordRetired is the keyword of the validation error for a call that fits only a version that is retired.
const KeywordRetired = "retired"

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
	c.RenamedArguments = v.Renamed
}

// Classify judges a call against the versions of its tool. It is pure: the same input gives the same verdict.
func Classify(v *Versions, c Call) Verdict {
	if v == nil || v.Active.Schema == nil {
		return Verdict{Class: events.DriftUnregistered, Version: c.Version, Claimed: c.Version}
	}
	out := Verdict{Active: v.Active.Name, Version: c.Version, Claimed: c.Version}
	args, err := ParseArguments(c.Arguments, v.Active.Schema.limits)
	if err != nil {
		return out.broken(err)
	}
	if out.Claimed == "" {
		out.Claimed = claimOf(args)
	}
	if out.Errors, err = v.Active.Schema.Validate(args); err != nil {
		return out.broken(err)
	}
	j := judge{v: v, args: args, out: &out, migrated: c.Migrated}
	j.judge()
	masker{v, args.doc}.verdict(&out)
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
	v.Errors = []events.ValidationError{{Keyword: KeywordJSON, Message: "want a JSON object"}}
	return v
}

// claimOf returns the version that a schema_version argument claims. What is too long to be a version's name claims none.
func claimOf(a *Arguments) string {
	m, _ := a.doc.(map[string]any)
	s, _ := m[versionArgument].(string)
	if len(s) > MaxVersionName {
		return ""
	}
	return s
}
