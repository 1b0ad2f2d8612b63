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

// Verdict is what a call is.
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

// judge is one call while it is judged.
type judge struct {
	v        *Versions
	args     *Arguments
	out      *Verdict
	migrated bool
	// retired says that the arguments fit no other version than a retired one.
	retired bool
}

func (j *judge) judge() {
	j.out.Unknown = j.unknownTo(&j.v.Active)
	j.claim()
	if j.out.Claim == ClaimNone || j.out.Claim == ClaimUnknown {
		j.recognise()
	}
	if !j.migrated && len(j.out.Errors) == 0 && !j.served() {
		j.v.findDefaulted(j.out, j.args)
	}
	j.aliases()
	j.classify()
}

// classify sets the class.
func (j *judge) classify() {
	out := j.out
	other := out.Version != j.v.Active.Name
	switch {
	case len(out.Defaulted) > 0:
		out.Class = events.DriftSilentDefault
	case j.retired:
		out.Class = events.DriftValidationError
		if len(out.Errors) == 0 {
			out.Errors = []events.ValidationError{{Keyword: KeywordRetired, Message: "the version that these arguments fit is retired"}}
		}
	case other && out.Claim != ClaimDisagrees:
		out.Class = events.DriftOldVersion
	case len(out.Errors) > 0:
		out.Class = events.DriftValidationError
	case len(out.Unknown) > 0:
		out.Class = events.DriftUnknownArgument
	case other:
		out.Class = events.DriftOldVersion
	default:
		out.Class = events.DriftCurrent
	}
}

// served reports that the caller claims an older version that the arguments fit: the agent runs its branch for it.
func (j *judge) served() bool {
	return j.out.Claim == ClaimFits && j.out.Version != j.v.Active.Name && !j.retired
}

// claim holds the arguments against the version that the call claims.
func (j *judge) claim() {
	name := j.out.Claimed
	if name == "" {
		return
	}
	j.out.Claim = ClaimUnknown
	if name == j.v.Active.Name {
		j.out.Version, j.out.Claim = name, ClaimFits
		if !j.fitsActive() {
			j.out.Claim, j.out.Fits = ClaimDisagrees, j.fitting()
		}
		return
	}
	is := func(l Version) bool { return l.Name == name && l.Schema != nil }
	if i := slices.IndexFunc(j.v.Legacy, is); i >= 0 {
		j.claimOther(&j.v.Legacy[i])
	} else if i := slices.IndexFunc(j.v.Retired, is); i >= 0 {
		j.claimOther(&j.v.Retired[i])
		j.retired = j.out.Claim == ClaimFits && !j.fitsActive()
	}
}

func (j *judge) claimOther(claimed *Version) {
	out := j.out
	out.Version, out.Claim = claimed.Name, ClaimFits
	errs, err := claimed.Schema.Validate(j.args)
	unknown := j.unknownTo(claimed)
	if err != nil || len(errs) > 0 || len(unknown) > 0 {
		out.Claim, out.ClaimErrors, out.ClaimUnknown, out.Fits = ClaimDisagrees, errs, unknown, j.fitting()
	}
}

// recognise finds the version of a call that names none that is known: the only one it fits, the fallback among several, else the active
// one.
func (j *judge) recognise() {
	j.out.Version = j.v.Active.Name
	if name := j.fitting(); name != "" {
		j.out.Version = name
		return
	}
	for _, l := range slices.Backward(j.v.Retired) {
		if j.fits(&l) {
			j.out.Version, j.retired = l.Name, true
			return
		}
	}
}

// fitting returns the version that the arguments fit: the fallback among several, else the active one, else the newest; "" for none.
func (j *judge) fitting() string {
	fallback := j.v.fallback()
	if fallback != j.v.Active.Name {
		for i := range j.v.Legacy {
			if l := &j.v.Legacy[i]; l.Name == fallback && j.fits(l) {
				return fallback
			}
		}
	}
	if j.fitsActive() {
		return j.v.Active.Name
	}
	for _, l := range slices.Backward(j.v.Legacy) {
		if l.Name != fallback && j.fits(&l) {
			return l.Name
		}
	}
	return ""
}

func (j *judge) fitsActive() bool { return len(j.out.Errors) == 0 && len(j.out.Unknown) == 0 }

// fits reports whether the arguments are valid for a version, with no name that it doesn't know.
func (j *judge) fits(v *Version) bool {
	if v.Schema == nil {
		return false
	}
	invalid, err := v.Schema.check(j.args)
	return err == nil && invalid == nil && len(j.unknownTo(v)) == 0
}

// unknownTo lists the names that a version doesn't know. A schema_version argument that claims a version of the tool is no such name.
func (j *judge) unknownTo(v *Version) []string {
	names := v.Schema.unknownNames(j.args.doc)
	i := slices.Index(names, versionArgument)
	if i < 0 || !j.v.knows(claimOf(j.args)) {
		return names
	}
	if len(names) == 1 {
		return nil
	}
	return slices.Delete(names, i, i+1)
}

// aliases notes what the owner's table says of unknown names.
func (j *judge) aliases() {
	for _, name := range j.out.Unknown {
		now, ok := j.v.Renames[name]
		if !ok {
			continue
		}
		if j.out.Aliases == nil {
			j.out.Aliases = map[string]string{}
		}
		j.out.Aliases[name] = now
	}
}

// fallback returns the version of calls that could be of several.
func (v *Versions) fallback() string {
	if v.Fallback != "" || len(v.Legacy) == 0 {
		return v.Fallback
	}
	return v.Legacy[0].Name
}

// knows reports whether there is a version of a name.
func (v *Versions) knows(name string) bool {
	is := func(l Version) bool { return l.Name == name }
	return name != "" && (v.Active.Name == name || slices.ContainsFunc(v.Legacy, is) || slices.ContainsFunc(v.Retired, is))
}
