package drift

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// NewDocument returns a document without versions: the first one is registered next.
func NewDocument(k Key) *Document { return &Document{Server: k.Server, Tool: k.Tool} }

// edit makes a change on a copy, which takes the document's place when it is valid: after an error nothing is changed.
func (d *Document) edit(a Action, version string, e Edit, change func(n *Document) (bool, error)) (bool, error) {
	n := d.Clone()
	n.Edit = Edit{At: e.At.UTC(), By: e.By, Action: a, Version: version, Reason: e.Reason}
	changed, err := change(n)
	if err == nil && changed {
		err = n.fit()
	}
	if err == nil && changed {
		err = n.Validate()
	}
	if err != nil {
		return false, fmt.Errorf("%s of %s: %w", a.words(version), d.Key(), err)
	}
	if changed {
		*d = *n
	}
	return changed, nil
}

// words say an action for a person, with the version it is done to where there is one.
func (a Action) words(version string) string {
	text := strings.ReplaceAll(string(a), "_", " ")
	if version != "" {
		text += " " + strconv.Quote(short(version))
	}
	return text
}

// fit drops versions until the document is within its limits: the oldest retired first, then the oldest legacy. Never the active one,
// the canary, the fallback that somebody chose, or what this edit registered.
func (d *Document) fit() error {
	for {
		_, err := d.Encode()
		if len(d.Versions) <= MaxVersions && err == nil {
			return nil
		}
		i := d.dispensable()
		if i < 0 && err == nil {
			return wrongAt("/versions", "there is no room for another version")
		}
		if i < 0 {
			return err
		}
		d.drop(i)
	}
}

func (d *Document) dispensable() int {
	for _, state := range []State{StateRetired, StateLegacy} {
		i := slices.IndexFunc(d.Versions, func(v VersionEntry) bool {
			return v.State == state && v.Version != d.FallbackVersion && v.Version != d.Edit.Version
		})
		if i >= 0 {
			return i
		}
	}
	return -1
}

// drop forgets a version and the migrations from and to it.
func (d *Document) drop(i int) {
	v := d.Versions[i]
	d.Versions = slices.Delete(d.Versions, i, i+1)
	d.Migrations = slices.DeleteFunc(d.Migrations, func(m Migration) bool { return m.From == v.Version || m.To == v.Version })
	d.Dropped = append(d.Dropped, DroppedVersion{Version: v.Version, SchemaDigest: v.SchemaDigest, At: d.Edit.At})
	d.Dropped = slices.Clone(d.Dropped[max(0, len(d.Dropped)-MaxDropped):])
}

// enter puts a version into a state.
func (d *Document) enter(i int, s State, at time.Time) {
	if d.Versions[i].State != s {
		d.Versions[i].State, d.Versions[i].Since = s, at.UTC()
	}
}

// activate makes a version the active one, and the one before it legacy.
func (d *Document) activate(i int, at time.Time) {
	for j := range d.Versions {
		if j != i && d.Versions[j].State == StateActive {
			d.enter(j, StateLegacy, at)
		}
	}
	if d.Canary != nil && d.Canary.Version == d.Versions[i].Version {
		d.Canary = nil
	}
	d.enter(i, StateActive, at)
}

func (d *Document) known(version string) (int, error) {
	if i := d.index(version); i >= 0 {
		return i, nil
	}
	return -1, wrongAt("", "there is no such version")
}

// Activate makes a version the active one and the former one legacy. A retired version can be activated again, and the canary, which
// ends it; another one cannot while a canary is under way. From then on people decide which version is active (Managed).
func (d *Document) Activate(version string, e Edit) (changed bool, err error) {
	return d.edit(ActionActivate, version, e, func(n *Document) (bool, error) {
		i, err := n.known(version)
		if err != nil {
			return false, err
		}
		if n.Canary != nil && n.Canary.Version != version {
			return false, errCanary(n.Canary)
		}
		if n.Managed && n.Versions[i].State == StateActive {
			return false, nil
		}
		n.activate(i, e.At)
		n.Managed = true
		return true, nil
	})
}

func errCanary(c *Canary) error {
	return wrongAt("", "the canary of %q is under way: promote or abort it first", c.Version)
}

// Retire ends a version: a call that fits only it is invalid from then on. The active version, the canary and the fallback that somebody
// chose can't be retired. From then on people decide which version is active (Managed).
func (d *Document) Retire(version string, e Edit) (changed bool, err error) {
	return d.edit(ActionRetire, version, e, func(n *Document) (bool, error) {
		i, err := n.known(version)
		if err != nil {
			return false, err
		}
		switch {
		case n.Versions[i].State == StateActive:
			return false, wrongAt("", "it is active: activate another one first")
		case n.Versions[i].State == StateCanary:
			return false, errCanary(n.Canary)
		case version == n.FallbackVersion:
			return false, wrongAt("", "it is the fallback: choose another one first")
		case n.Managed && n.Versions[i].State == StateRetired:
			return false, nil
		}
		n.enter(i, StateRetired, e.At)
		n.Managed = true
		return true, nil
	})
}

// SetFallback chooses the version of calls that name none and fit several; "" leaves it to the rule, see [Document.Fallback].
func (d *Document) SetFallback(version string, e Edit) (changed bool, err error) {
	return d.edit(ActionSetFallback, version, e, func(n *Document) (bool, error) {
		if n.FallbackVersion == version {
			return false, nil
		}
		n.FallbackVersion = version
		return true, nil
	})
}

// SetOwner says whose tool it is; "" is nobody's.
func (d *Document) SetOwner(owner string, e Edit) (changed bool, err error) {
	return d.edit(ActionSetOwner, "", e, func(n *Document) (bool, error) {
		if n.Owner == owner {
			return false, nil
		}
		n.Owner = owner
		return true, nil
	})
}

// Follow leaves it to the definitions seen in events again which version is active: the next one with a schema not seen before will be.
// Until then nothing changes. It can't be done while a canary is under way.
func (d *Document) Follow(e Edit) (changed bool, err error) {
	return d.edit(ActionFollow, "", e, func(n *Document) (bool, error) {
		if n.Canary != nil {
			return false, errCanary(n.Canary)
		}
		if !n.Managed {
			return false, nil
		}
		n.Managed = false
		return true, nil
	})
}

// AddRenames says which arguments have a new name: former names to present ones. An empty present name takes an entry back.
func (d *Document) AddRenames(renames map[string]string, e Edit) (changed bool, err error) {
	return d.edit(ActionAddRenames, "", e, func(n *Document) (bool, error) {
		changed := false
		for was, now := range renames {
			have, ok := n.Renames[was]
			switch {
			case now == "" && ok:
				delete(n.Renames, was)
				changed = true
			case now != "" && have != now:
				if n.Renames == nil {
					n.Renames = map[string]string{}
				}
				n.Renames[was] = now
				changed = true
			}
		}
		return changed, nil
	})
}
