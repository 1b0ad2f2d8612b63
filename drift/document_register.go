package drift

import (
	"cmp"
	"slices"
	"time"

	"github.com/tooltrail/tooltrail/events"
)

// AutoVersion is the name of a version whose definition names none: schema- and the first 12 digits of its schema digest.
func AutoVersion(schemaDigest string) string {
	return "schema-" + schemaDigest[:min(len(schemaDigest), 12)]
}

// named reports that somebody named the version.
func (v *VersionEntry) named() bool { return v.Version != AutoVersion(v.SchemaDigest) }

// Register takes a definition into the document. Digests that it lacks are reckoned without a key. A definition whose schema can't be
// compiled is an error that names the place.
//
// An empty state is a definition that was seen in an event. Unless the document is Managed, one with a schema not seen before becomes
// active; in a managed one it becomes legacy. One that was seen before changes nothing, even where another took its place since.
//
// [StateActive] and [StateLegacy] are what a person asks for; the document is Managed from then on.
//
// A definition that names no version is of the version with its schema, else of a new one, see [AutoVersion]. A version of the same name
// takes the new definition, and notes what it had, see [VersionEntry].Replaced.
func (d *Document) Register(def *events.ToolDefinition, by string, at time.Time, state State) (changed bool, err error) {
	r := registering{def: *def, by: by, at: at.UTC(), state: state}
	if err := r.complete(); err != nil {
		return false, err
	}
	return d.edit(ActionRegister, r.def.SchemaVersion, Edit{At: at, By: by}, r.into)
}

// registering is one definition on its way into a document.
type registering struct {
	def     events.ToolDefinition
	unnamed bool
	by      string
	at      time.Time
	state   State
}

// complete fills in what the definition lacks.
func (r *registering) complete() error {
	if r.state != "" && r.state != StateActive && r.state != StateLegacy {
		return wrongAt("", "register as %q: want active or legacy", short(string(r.state)))
	}
	if r.def.SchemaDigest == "" || r.def.DefinitionDigest == "" || r.def.WireDigest == "" {
		digests, err := events.Digester{}.Tool(r.def.Definition)
		if err != nil {
			return err
		}
		r.def.WireDigest = cmp.Or(r.def.WireDigest, digests.Wire)
		r.def.DefinitionDigest = cmp.Or(r.def.DefinitionDigest, digests.Definition)
		r.def.SchemaDigest = cmp.Or(r.def.SchemaDigest, digests.Schema)
	}
	if r.def.SchemaVersion == "" {
		r.unnamed = true
		r.def.SchemaVersion = AutoVersion(r.def.SchemaDigest)
	}
	return nil
}

func (r *registering) into(n *Document) (bool, error) {
	if n.Server != r.def.Server || n.Tool != r.def.ToolName {
		return false, wrongAt("", "the definition is of %s", short(named(r.def.Server, r.def.ToolName)))
	}
	i, adopted := r.find(n)
	if i < 0 && r.state == "" && r.wasDropped(n) {
		return false, nil
	}
	took, news := i < 0 || r.differs(&n.Versions[i]), i < 0
	if took {
		if _, err := Compile(r.def.Definition); err != nil {
			return false, err
		}
	}
	switch {
	case news:
		i = r.add(n)
	case took:
		news = r.replace(&n.Versions[i])
	}
	n.Edit.Version = n.Versions[i].Version
	moved, err := r.move(n, i, news)
	return adopted || took || moved, err
}

// find looks the definition's version up: by name, or by schema where it names none. A version that nobody named takes the name of a
// definition with its schema.
func (r *registering) find(n *Document) (i int, adopted bool) {
	if i := n.index(r.def.SchemaVersion); i >= 0 {
		return i, false
	}
	i = slices.IndexFunc(n.Versions, func(v VersionEntry) bool {
		return v.SchemaDigest == r.def.SchemaDigest && (r.unnamed || !v.named())
	})
	if i < 0 || r.unnamed {
		return i, false
	}
	n.rename(i, r.def.SchemaVersion)
	return i, true
}

// rename gives a version another name, everywhere.
func (d *Document) rename(i int, name string) {
	was := d.Versions[i].Version
	d.Versions[i].Version = name
	if d.FallbackVersion == was {
		d.FallbackVersion = name
	}
	if d.Canary != nil && d.Canary.Version == was {
		d.Canary.Version = name
	}
	for j := range d.Migrations {
		if d.Migrations[j].From == was {
			d.Migrations[j].From = name
		}
		if d.Migrations[j].To == was {
			d.Migrations[j].To = name
		}
	}
}

func (r *registering) wasDropped(n *Document) bool {
	return slices.ContainsFunc(n.Dropped, func(v DroppedVersion) bool {
		return v.SchemaDigest == r.def.SchemaDigest && (r.unnamed || v.Version == r.def.SchemaVersion)
	})
}

func (r *registering) add(n *Document) int {
	n.Dropped = slices.DeleteFunc(n.Dropped, func(v DroppedVersion) bool { return v.Version == r.def.SchemaVersion })
	n.Versions = append(n.Versions, VersionEntry{
		Version: r.def.SchemaVersion, State: StateLegacy, Since: r.at, Release: r.def.Release,
		WireDigest: r.def.WireDigest, DefinitionDigest: r.def.DefinitionDigest, SchemaDigest: r.def.SchemaDigest,
		Definition: slices.Clone(r.def.Definition), RegisteredBy: r.by, RegisteredAt: r.at,
	})
	return len(n.Versions) - 1
}

// differs reports that a version has another definition and did not have this one before. What a person registers counts all the same.
func (r *registering) differs(v *VersionEntry) bool {
	if v.DefinitionDigest == r.def.DefinitionDigest {
		return false
	}
	return r.state != "" || !slices.ContainsFunc(v.Replaced, func(was Replaced) bool {
		return was.DefinitionDigest == r.def.DefinitionDigest ||
			was.SchemaDigest == r.def.SchemaDigest && v.SchemaDigest != r.def.SchemaDigest
	})
}

// replace gives a version another definition. It reports whether its schema is another one.
func (r *registering) replace(v *VersionEntry) bool {
	v.Replaced = append(v.Replaced, Replaced{DefinitionDigest: v.DefinitionDigest, SchemaDigest: v.SchemaDigest, Until: r.at})
	v.Replaced = slices.Clone(v.Replaced[max(0, len(v.Replaced)-MaxReplaced):])
	news := v.SchemaDigest != r.def.SchemaDigest
	v.WireDigest, v.DefinitionDigest, v.SchemaDigest = r.def.WireDigest, r.def.DefinitionDigest, r.def.SchemaDigest
	v.Definition, v.Release = slices.Clone(r.def.Definition), r.def.Release
	return news
}

// move puts the version into the state it is to have; news is a schema that the document did not have.
func (r *registering) move(n *Document, i int, news bool) (bool, error) {
	managed := n.Managed
	switch r.state {
	case StateActive:
		if n.Canary != nil && n.Canary.Version != n.Versions[i].Version {
			return false, errCanary(n.Canary)
		}
		n.Managed = true
		was := n.Versions[i].State
		n.activate(i, r.at)
		return !managed || was != StateActive, nil
	case StateLegacy:
		if s := n.Versions[i].State; s == StateActive || s == StateCanary {
			return false, wrongAt("", "it is %s: activate another one first", s)
		}
		n.Managed = true
		was := n.Versions[i].State
		n.enter(i, StateLegacy, r.at)
		return !managed || was != StateLegacy, nil
	}
	if !managed && news {
		n.activate(i, r.at)
	}
	return false, nil
}
