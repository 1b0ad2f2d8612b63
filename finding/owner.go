package finding

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Owner is who is to deal with findings.
type Owner struct {
	Owner string `yaml:"owner" json:"owner,omitzero"`
	Team  string `yaml:"team" json:"team,omitzero"`
}

// Owners say who is to deal with which findings. Names may have * for any characters; of several that fit one holds: a whole name before one
// with a *, else the one with the most other characters.
type Owners struct {
	// Tools are by SERVER/TOOL, or by TOOL where it has no server; SERVER/* is for all of a server.
	Tools map[string]Owner `yaml:"tools" json:"tools,omitzero"`
	// Agents are by name. They say what Tools do not.
	Agents map[string]Owner `yaml:"agents" json:"agents,omitzero"`
}

// Validate reports what makes no sense, each by its name in the settings file.
func (o Owners) Validate() error {
	return errors.Join(checkOwners("tools", o.Tools), checkOwners("agents", o.Agents))
}

func checkOwners(kind string, all map[string]Owner) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(all)) {
		at := kind + "[" + strconv.Quote(name) + "]"
		if name == "" {
			errs = append(errs, fmt.Errorf("%s: a name is empty", kind))
		}
		if o := all[name]; o.Owner == "" && o.Team == "" {
			errs = append(errs, fmt.Errorf("%s has neither owner nor team", at))
		}
	}
	return errors.Join(errs...)
}

// Of returns who is to deal with a finding. Its team is that of its events where no settings name one and they are all of one.
func (o Owners) Of(f *Finding) Owner {
	var out Owner
	if s := f.Subject; s.Server != "" || s.Tool != "" {
		out = bestOwner(o.Tools, strings.TrimPrefix(s.Server+"/"+s.Tool, "/"))
	}
	if agent := cmp.Or(f.Subject.Agent, only(f.Seen.Agents)); agent != "" {
		by := bestOwner(o.Agents, agent)
		out = Owner{cmp.Or(out.Owner, by.Owner), cmp.Or(out.Team, by.Team)}
	}
	out.Team = cmp.Or(out.Team, only(f.Seen.Teams))
	return out
}

// only returns the single one of a list, else nothing.
func only(list []string) string {
	if len(list) != 1 {
		return ""
	}
	return list[0]
}

// bestOwner returns the owner of the best of the names that fit.
func bestOwner(all map[string]Owner, name string) Owner {
	if o, ok := all[name]; ok {
		return o
	}
	best, found := "", false
	for pattern := range all {
		if fits(pattern, name) && (!found || moreExact(pattern, best) > 0) {
			best, found = pattern, true
		}
	}
	if !found {
		return Owner{}
	}
	return all[best]
}

// moreExact is positive where the pattern a goes before b.
func moreExact(a, b string) int {
	letters := func(s string) int { return len(s) - strings.Count(s, "*") }
	return cmp.Or(cmp.Compare(letters(a), letters(b)), strings.Compare(b, a))
}

// fits reports whether a pattern, in which * is for any characters, is of a name.
func fits(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	rest, ok := strings.CutPrefix(name, parts[0])
	if !ok || len(parts) == 1 {
		return ok && rest == ""
	}
	for _, part := range parts[1 : len(parts)-1] {
		_, after, found := strings.Cut(rest, part)
		if !found {
			return false
		}
		rest = after
	}
	return strings.HasSuffix(rest, parts[len(parts)-1])
}
