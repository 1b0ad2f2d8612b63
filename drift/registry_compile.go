package drift

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/tooltrail/tooltrail/events"
)

// compileDocument makes what calls are judged by of a document, with the schemas that the former one had compiled. The error joins one for
// each version that can't be compiled.
func compileDocument(d *Document, was *registered) (*registered, error) {
	t := &registered{doc: d, compiled: make(map[[sha256.Size]byte]*Schema, len(d.Versions))}
	schemas := make([]*Schema, len(d.Versions))
	var failed []error
	for i := range d.Versions {
		s, err := t.compile(&d.Versions[i], was)
		if err != nil {
			failed = append(failed, fmt.Errorf("register version %q of %s: %w", d.Versions[i].Version, d.Key(), err))
		}
		schemas[i] = s
		t.bytes += len(d.Versions[i].Definition)
	}
	t.base = versionsOf(d, schemas, StateActive)
	if d.Canary != nil {
		t.canary = versionsOf(d, schemas, StateCanary)
	}
	return t, errors.Join(failed...)
}

// compile compiles a version's input schema unless this was done. Which one it is is told by its own bytes, not by the digest that the
// document gives.
func (t *registered) compile(v *VersionEntry, was *registered) (*Schema, error) {
	tool, err := events.ParseTool(v.Definition)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(append([]byte(tool.Name+"\x00"), tool.Schema...))
	s := t.compiled[sum]
	if s == nil && was != nil {
		s = was.compiled[sum]
	}
	if s == nil {
		if s, err = Compile(v.Definition); err != nil {
			return nil, err
		}
	}
	t.compiled[sum] = s
	return s, nil
}

// versionsOf arranges a document's versions with the one of a state as the active one.
func versionsOf(d *Document, schemas []*Schema, active State) *Versions {
	out := &Versions{Renames: d.Renames, Migrations: d.Migrations, Fallback: d.Fallback()}
	for i, v := range d.Versions {
		version := Version{Name: v.Version, Schema: schemas[i], Definition: v.Definition}
		switch {
		case v.State == active:
			out.Active = version
		case version.Schema == nil:
		case v.State == StateRetired:
			out.Retired = append(out.Retired, version)
		default:
			out.Legacy = append(out.Legacy, version)
		}
	}
	if active == StateCanary {
		out.Fallback = out.Active.Name // such a conversation was shown the canary's definition
	}
	return out
}

// Fallback returns the version of a call that names none and fits several: the one that somebody chose, else the oldest that is not
// retired. It is the active version where that has the oldest one's schema, or where nobody named the active version: then an argument
// that was added must not make all calls old. It is "" where there is no active version.
func (d *Document) Fallback() string {
	active := d.Active()
	if d.FallbackVersion != "" || active == nil {
		return d.FallbackVersion
	}
	if !active.named() {
		return active.Version
	}
	for _, v := range d.Versions {
		if v.State != StateLegacy && v.State != StateActive {
			continue
		}
		if v.SchemaDigest == active.SchemaDigest {
			break
		}
		return v.Version
	}
	return active.Version
}
