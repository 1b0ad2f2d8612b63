package drift

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events"
)

// Validate reports the first thing that is wrong with a document, with its place as a JSON pointer. It does not compile the schemas:
// the [Registry] does, and serves a tool without the version that can't be compiled.
func (d *Document) Validate() error {
	if d.Tool == "" {
		return wrongAt("/tool", "missing")
	}
	checks := []func() error{d.checkTexts, d.checkVersions, d.checkStates, d.checkCanary, d.checkFallback, d.checkRenames, d.checkMigrations}
	for _, check := range checks {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (d *Document) checkTexts() error {
	for _, t := range []struct {
		path, text string
		max        int
	}{
		{"/server", d.Server, maxToolName}, {"/tool", d.Tool, maxToolName}, {"/owner", d.Owner, maxText},
		{"/edit/by", d.Edit.By, maxText}, {"/edit/reason", d.Edit.Reason, maxText}, {"/edit/version", d.Edit.Version, MaxVersionName},
		{"/edit/action", string(d.Edit.Action), MaxVersionName}, {"", string(d.More), maxMoreBytes},
	} {
		if err := checkText(t.path, t.text, t.max); err != nil {
			return err
		}
	}
	return nil
}

func checkText(path, text string, limit int) error {
	if len(text) > limit {
		return wrongAt(path, "%d bytes, want %d at most", len(text), limit)
	}
	if !utf8.ValidString(text) {
		return wrongAt(path, "not UTF-8")
	}
	return nil
}

func checkVersionName(path, name string) error {
	switch {
	case name == "":
		return wrongAt(path, "missing")
	case strings.ContainsFunc(name, unicode.IsControl):
		return wrongAt(path, "a version's name has no control characters")
	}
	return checkText(path, name, MaxVersionName)
}

func (d *Document) checkVersions() error {
	if len(d.Versions) > MaxVersions {
		return wrongAt("/versions", "%d versions, want %d at most", len(d.Versions), MaxVersions)
	}
	if len(d.Dropped) > MaxDropped {
		return wrongAt("/dropped", "%d versions, want %d at most", len(d.Dropped), MaxDropped)
	}
	for i := range d.Versions {
		at := fmt.Sprintf("/versions/%d", i)
		if err := d.Versions[i].check(at); err != nil {
			return err
		}
		if d.index(d.Versions[i].Version) != i {
			return wrongAt(at+"/version", "%q is there twice", d.Versions[i].Version)
		}
	}
	return nil
}

func (v *VersionEntry) check(at string) error {
	if err := checkVersionName(at+"/version", v.Version); err != nil {
		return err
	}
	switch v.State {
	case StateActive, StateLegacy, StateCanary, StateRetired:
	default:
		return wrongAt(at+"/state", "%q is no state: want active, legacy, canary or retired", short(string(v.State)))
	}
	for _, digest := range []struct{ path, text string }{
		{"/wire_digest", v.WireDigest}, {"/definition_digest", v.DefinitionDigest}, {"/schema_digest", v.SchemaDigest},
	} {
		if !isDigest(digest.text) {
			return wrongAt(at+digest.path, "not 64 hexadecimal digits")
		}
	}
	if len(v.Replaced) > MaxReplaced {
		return wrongAt(at+"/replaced", "%d definitions, want %d at most", len(v.Replaced), MaxReplaced)
	}
	for path, text := range map[string]string{"/release": v.Release, "/registered_by": v.RegisteredBy} {
		if err := checkText(at+path, text, maxText); err != nil {
			return err
		}
	}
	return checkDefinition(at+"/definition", v.Definition)
}

func checkDefinition(at string, definition jsontext.Value) error {
	if definition.Kind() != jsontext.KindBeginObject {
		return wrongAt(at, "want an object")
	}
	_, err := events.ParseTool(definition)
	var invalid *events.Error
	if errors.As(err, &invalid) {
		return wrongAt(at+invalid.Path, "%s", invalid.Reason)
	}
	return err
}

func isDigest(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}

// short cuts a text that an error quotes.
func short(text string) string {
	if len(text) <= MaxVersionName {
		return text
	}
	return strings.ToValidUTF8(text[:MaxVersionName], "") + "..."
}

func (d *Document) checkStates() error {
	active := ""
	for i, v := range d.Versions {
		if v.State != StateActive {
			continue
		}
		if active != "" {
			return wrongAt(fmt.Sprintf("/versions/%d/state", i), "%q and %q are both active", active, v.Version)
		}
		active = v.Version
	}
	return nil
}

func (d *Document) checkCanary() error {
	for i, v := range d.Versions {
		if v.State == StateCanary && (d.Canary == nil || d.Canary.Version != v.Version) {
			return wrongAt(fmt.Sprintf("/versions/%d/state", i), "a canary that /canary does not name")
		}
	}
	if d.Canary == nil {
		return nil
	}
	if v := d.Version(d.Canary.Version); v == nil || v.State != StateCanary {
		return wrongAt("/canary/version", "%q is no version in state canary", short(d.Canary.Version))
	}
	if err := checkShare(d.Canary.Share); err != nil {
		return wrongAt("/canary/share", "%s", err)
	}
	if d.Active() == nil {
		return wrongAt("/canary", "a canary needs an active version to be compared with")
	}
	return checkText("/canary/hash_key", d.Canary.HashKey, maxText)
}

func checkShare(share float64) error {
	if share > 0 && share <= 1 {
		return nil
	}
	return fmt.Errorf("share %v, want more than 0 and 1 at most", share)
}

func (d *Document) checkFallback() error {
	if d.FallbackVersion == "" {
		return nil
	}
	switch v := d.Version(d.FallbackVersion); {
	case v == nil:
		return wrongAt("/fallback_version", "there is no version %q", short(d.FallbackVersion))
	case v.State == StateRetired:
		return wrongAt("/fallback_version", "%q is retired", d.FallbackVersion)
	}
	return nil
}

func (d *Document) checkRenames() error {
	if len(d.Renames) > MaxRenames {
		return wrongAt("/renames", "%d names, want %d at most", len(d.Renames), MaxRenames)
	}
	for was, now := range d.Renames {
		at := "/renames/" + escapePointer(short(was))
		if was == "" || now == "" || was == now {
			return wrongAt(at, "want two names that differ")
		}
		for _, name := range []string{was, now} {
			if err := checkText(at, name, maxPointer); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *Document) checkMigrations() error {
	if len(d.Migrations) > MaxMigrations {
		return wrongAt("/migrations", "%d migrations, want %d at most", len(d.Migrations), MaxMigrations)
	}
	seen := map[[2]string]bool{}
	for i, m := range d.Migrations {
		at := fmt.Sprintf("/migrations/%d", i)
		for _, end := range []struct{ path, version string }{{"/from", m.From}, {"/to", m.To}} {
			if d.index(end.version) < 0 {
				return wrongAt(at+end.path, "there is no version %q", short(end.version))
			}
		}
		key := [2]string{m.From, m.To}
		if seen[key] {
			return wrongAt(at, "%s is there twice", m.Name())
		}
		seen[key] = true
		if err := m.check(at); err != nil {
			return err
		}
	}
	return nil
}
