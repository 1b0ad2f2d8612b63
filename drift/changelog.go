package drift

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events"
)

// Release is a server's list of tools at a time.
type Release struct {
	// Name is the release, such as v1.2.0; empty when the list has none.
	Name   string
	Server string
	At     time.Time
	Tools  []jsontext.Value
}

// Rules of flags.
const (
	// FlagBreakingMinor is a breaking change while the major version stayed.
	FlagBreakingMinor = "breaking_in_minor"
	// FlagUnversioned is a change of a schema while the version that the tool itself states, or the list's, stayed or is missing.
	FlagUnversioned = "change_without_version"
	// FlagRugPull is a definition that differs from an earlier one of the same release.
	FlagRugPull = "rug_pull"
)

// Flag is something about a release that its version does not say.
type Flag struct {
	Rule  string   `json:"rule"`
	Tools []string `json:"tools"`
	Text  string   `json:"text"`
}

// Entry is one release in a changelog.
type Entry struct {
	Release  string    `json:"release"`
	Previous string    `json:"previous,omitzero"`
	Server   string    `json:"server,omitzero"`
	At       time.Time `json:"at,omitzero"`
	// First says that nothing is known of the server before.
	First bool `json:"first,omitzero"`
	ListComparison
	Flags []Flag `json:"flags,omitzero"`
}

// Changelog is what changed from release to release, in the order given.
type Changelog struct {
	Entries []Entry `json:"entries"`
}

// NewChangelog compares each release with the one before it of the same server. The error names the release that can't be read.
func NewChangelog(releases []Release, o ListOptions) (*Changelog, error) {
	out := &Changelog{Entries: []Entry{}}
	last := map[string]*Release{}
	seen := map[[2]string]map[string]string{}
	for i := range releases {
		r := &releases[i]
		e, err := newEntry(last[r.Server], r, o)
		if err != nil {
			return nil, fmt.Errorf("read release %q: %w", r.Name, err)
		}
		if r.Name != "" {
			e.rugPull(seen, r)
		}
		out.Entries = append(out.Entries, *e)
		last[r.Server] = r
	}
	return out, nil
}

func newEntry(was, is *Release, o ListOptions) (*Entry, error) {
	e := &Entry{Release: is.Name, Server: is.Server, At: is.At, First: was == nil}
	if was == nil {
		was = &Release{}
	}
	e.Previous = was.Name
	c, err := CompareLists(was.Tools, is.Tools, o)
	if err != nil {
		return nil, err
	}
	e.ListComparison = *c
	if !e.First {
		e.versions(was, is)
	}
	return e, nil
}

// breaking lists the tools that a release breaks.
func (e *Entry) breaking() []string {
	names := slices.Clone(e.Removed)
	for i := range e.Changed {
		if e.Changed[i].Class == Breaking {
			names = append(names, e.Changed[i].Tool)
		}
	}
	slices.Sort(names)
	return names
}

// versions flags what the version numbers do not say.
func (e *Entry) versions(was, is *Release) {
	if names := e.breaking(); len(names) > 0 && !MajorRaised(was.Name, is.Name) && was.Name != is.Name {
		text := fmt.Sprintf("%s -> %s breaks calls and raises no major version", nameOr(was.Name), nameOr(is.Name))
		if strings.HasPrefix(strings.TrimPrefix(is.Name, "v"), "0.") {
			text += " (0.x promises nothing)"
		}
		e.Flags = append(e.Flags, Flag{FlagBreakingMinor, names, text})
	}
	then, now := statedVersions(was.Tools), statedVersions(is.Tools)
	var names []string
	for i := range e.Changed {
		c := &e.Changed[i]
		stated := now[c.Tool]
		same := stated != "" && stated == then[c.Tool] || stated == "" && is.Name == ""
		if same && c.Count(Breaking)+c.Count(NonBreaking)+c.Count(UnknownClass) > 0 {
			names = append(names, c.Tool)
		}
	}
	if len(names) > 0 {
		e.Flags = append(e.Flags, Flag{FlagUnversioned, names, "the schema changed and the version did not"})
	}
}

func nameOr(release string) string { return cmp.Or(release, "a list without a version") }

// rugPull flags tools whose definition differs from what the same release had before.
func (e *Entry) rugPull(seen map[[2]string]map[string]string, r *Release) {
	key := [2]string{r.Server, r.Name}
	now := map[string]string{}
	for _, raw := range r.Tools {
		t, err := events.ParseTool(raw)
		if form, err2 := events.Canonical(raw); err == nil && err2 == nil {
			now[t.Name] = string(form)
		}
	}
	was, again := seen[key]
	seen[key] = now
	if !again {
		return
	}
	var names []string
	for name, form := range now {
		if was[name] != form {
			names = append(names, name)
		}
	}
	for name := range was {
		if _, ok := now[name]; !ok {
			names = append(names, name)
		}
	}
	if slices.Sort(names); len(names) > 0 {
		e.Flags = append(e.Flags, Flag{FlagRugPull, names, fmt.Sprintf("%s was published before with other definitions", r.Name)})
	}
}

// statedVersions lists the versions that tools state themselves, by the const of an argument schema_version.
func statedVersions(tools []jsontext.Value) map[string]string {
	out := map[string]string{}
	for _, raw := range tools {
		t, err := events.ParseTool(raw)
		if err != nil {
			continue
		}
		l := DefaultLimits()
		doc, _, err := readValue(schemaOf(t), l.SchemaDepth, l.SchemaNodes, l.ListItems)
		if err != nil {
			continue
		}
		if v, ok := at(doc, "/properties/schema_version/const").(string); ok {
			out[t.Name] = v
		}
	}
	return out
}

// MajorRaised reports that both are versions as 1.2.3 or v1.2.3 and the second has a higher major number.
func MajorRaised(from, to string) bool {
	a, ok := major(from)
	b, too := major(to)
	return ok && too && b > a
}

// major reads the first number of a version.
func major(version string) (int, bool) {
	first, _, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	n, err := strconv.Atoi(first)
	return n, err == nil && n >= 0
}
