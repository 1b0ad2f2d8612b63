package drift

import (
	"fmt"
	"slices"

	"github.com/tooltrail/tooltrail/events"
)

// judge is one call while it is judged.
type judge struct {
	v        *Versions
	args     *Arguments
	out      *Verdict
	migrated bool
	// retired says that the arguments fit no other version than a retired one.
	retired bool
	// tree is made of the arguments when it is first needed; steps is how many may still be taken for versions other than the active one.
	tree  *node
	steps int
}

func (j *judge) judge() {
	j.steps = j.v.Active.Schema.limits.Steps
	j.out.Unknown = j.besideClaim(j.v.Active.Schema.unknownNames(j.args.doc))
	j.claim()
	if j.out.Claim == ClaimNone || j.out.Claim == ClaimUnknown {
		j.recognise()
	}
	if !j.migrated && len(j.out.Errors) == 0 && !j.served() {
		j.v.findDefaulted(j.out, j.args)
	}
	j.aliases()
	if j.steps < 0 {
		*j.out = j.out.broken(fmt.Errorf("classify by %d versions: %w", 1+len(j.v.Legacy)+len(j.v.Retired), ErrLimit))
		return
	}
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
	if j.fits(claimed) {
		return
	}
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

// fits reports whether the arguments are valid for another version, with no name that it doesn't know.
func (j *judge) fits(v *Version) bool {
	if v.Schema == nil || j.steps < 0 {
		return false
	}
	if j.steps -= j.price(v.Schema); j.steps < 0 {
		return false
	}
	err := v.Schema.validate(j.args.doc)
	return err == nil && len(j.unknownTo(v)) == 0
}

// price is how many steps it takes to validate the arguments: an estimate where that is a small part of what is left.
func (j *judge) price(s *Schema) int {
	if n, ok := s.roughly(j.args); ok && n <= j.steps/(2*MaxVersions) {
		return n
	}
	if j.tree == nil {
		next := 0
		j.tree = newNode(j.args.doc, &next)
	}
	return s.count(j.tree, j.steps)
}

// unknownTo lists the names that another version doesn't know.
func (j *judge) unknownTo(v *Version) []string {
	names, left := v.Schema.unknownWithin(j.args.doc, max(j.steps, 0))
	j.steps = left
	return j.besideClaim(names)
}

// besideClaim takes the schema_version argument out of unknown names: where it claims a version of the tool, it is none.
func (j *judge) besideClaim(names []string) []string {
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
		at := containerOf(j.args.doc, name)
		now, ok := j.v.Renames[at.name]
		if !ok {
			continue
		}
		if j.out.Aliases == nil {
			j.out.Aliases = map[string]string{}
		}
		j.out.Aliases[name] = at.named(now)
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
