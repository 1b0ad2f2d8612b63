package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
)

// errNoList is what there is in place of tools in a JSON file that holds something else.
var errNoList = errors.New("no list of tools: want an array of definitions, an object with tools, or one definition with a name")

// rosterFile reads the last list of each server of a file, or of each file of a directory.
func rosterFile(path, server string) (*rosterGiven, error) {
	last, err := lastReleases(path)
	if err != nil {
		return nil, err
	}
	given := &rosterGiven{lists: []rosterList{}}
	for i := range last {
		r := &last[i]
		of := cmp.Or(server, r.Server)
		if l := (rosterList{of, r.Name}); l != (rosterList{}) && !slices.Contains(given.lists, l) {
			given.lists = append(given.lists, l)
		}
		for _, raw := range r.Tools {
			given.tools = append(given.tools, activation.Tool{Name: nameOf(raw), Server: of, Definition: raw})
		}
	}
	switch {
	case len(given.tools) == 0:
		return nil, fmt.Errorf("read tools of %s: %w", path, errNoTools)
	case !slices.ContainsFunc(given.tools, isDefinition):
		return nil, fmt.Errorf("read tools of %s: %w", path, errNoList)
	}
	return given, nil
}

// isDefinition reports whether something has at least one of the members that make a tool's definition.
func isDefinition(t activation.Tool) bool {
	d, err := events.ParseTool(t.Definition)
	return err != nil && t.Definition.Kind() != '{' || t.Name != "" || d.Description != "" || len(d.Schema) > 0
}

// lastReleases reads the last release of each server of a file, the one that is named after an @, or those of all files of a directory.
func lastReleases(path string) ([]drift.Release, error) {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return lastOfFile(path)
	}
	files, err := filepath.Glob(filepath.Join(escapeGlob(path), "*.json"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("read schemas of %s: no .json files", path)
	}
	slices.Sort(files)
	var out []drift.Release
	for _, file := range files {
		last, err := lastOfFile(file)
		if err != nil {
			return nil, err
		}
		out = append(out, last...)
	}
	return out, nil
}

func lastOfFile(path string) ([]drift.Release, error) {
	one, err := readRelease(path)
	if err != nil {
		return nil, err
	}
	all, err := readReleases(path)
	if err != nil { // FILE@RELEASE
		return []drift.Release{*one}, nil
	}
	last := map[string]int{}
	for i := range all {
		last[all[i].Server] = i
	}
	var out []drift.Release
	for i := range all {
		if last[all[i].Server] == i {
			out = append(out, all[i])
		}
	}
	return out, nil
}

// known refuses servers of --own and --external that the list does not have: a wrong name would make other rules of it. The empty one is always known.
func (o *rosterOptions) known(given *rosterGiven) error {
	servers := map[string]bool{"": true}
	for i := range given.tools {
		servers[given.tools[i].Server] = true
	}
	for _, flag := range []struct {
		name   string
		values []string
	}{{"own", o.own}, {"external", o.external}} {
		for _, name := range flag.values {
			if !servers[name] {
				return usageError{fmt.Errorf("--%s %q: the list has no tools of a server of that name%s", flag.name, name, serversText(servers))}
			}
		}
	}
	return nil
}

func serversText(servers map[string]bool) string {
	var names []string
	for name := range servers {
		if name != "" {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ", and none of any"
	}
	slices.Sort(names)
	return ": it has " + strings.Join(names, ", ")
}

// rosterUnread says in the form that was asked for that there is nothing to lint, and returns the error.
func (p *program) rosterUnread(unread error, o rosterOptions, file string) error {
	var err error
	switch {
	case o.json:
		err = p.printJSON(struct {
			Passed bool   `json:"passed"`
			Error  string `json:"error"`
		}{false, unread.Error()})
	case o.github:
		err = p.buffered(func(w io.Writer) { annotation(w, string(activation.LintError), file, "roster lint", unread.Error()) })
	}
	return errors.Join(unread, err)
}
