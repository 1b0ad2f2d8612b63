package activation

import (
	"fmt"
	"slices"
	"strings"
)

// nameGroups are tools by what their names come to, in the order of the tools.
type nameGroups struct {
	tools map[string][]*Tool
	order []string
}

func (g *nameGroups) add(key string, t *Tool) {
	if g.tools == nil {
		g.tools = map[string][]*Tool{}
	}
	same := func(o *Tool) bool { return o.Name == t.Name && o.Server == t.Server }
	if slices.ContainsFunc(g.tools[key], same) {
		return
	}
	if g.tools[key] = append(g.tools[key], t); len(g.tools[key]) == 2 {
		g.order = append(g.order, key)
	}
}

// collisions finds tools whose names become one when they are made fit for a provider, or are joined with their servers. What differs in case
// and separators alone, or has one name, is said already.
func (l *linter) collisions() {
	var fit, joined nameGroups
	for i := range l.tools {
		t := &l.tools[i]
		if t.Name == "" || len(t.Name) > maxName {
			continue
		}
		fit.add(sanitise(t.Name), &Tool{Name: t.Name})
		if t.Server != "" && len(t.Server) <= maxName {
			joined.add(fitted(joinedName(t)), t)
		}
	}
	for _, key := range fit.order {
		if all := fit.tools[key]; !allSame(all, func(t *Tool) string { return fold(t.Name) }) {
			l.collide(all, fmt.Sprintf("the names become one, %q, where they are made fit for a provider (A-Z a-z 0-9 _ -, at most %d): "+
				"a call of it may mean either; rename all but one", key, maxSanitised))
		}
	}
	for _, key := range joined.order {
		if all := joined.tools[key]; !allSame(all, func(t *Tool) string { return fold(t.Name) }) && !allSame(all, func(t *Tool) string { return sanitise(t.Name) }) {
			l.collide(all, fmt.Sprintf("the names become one, %q, where they are joined with their servers (%s): a call of it may mean either; "+
				"rename a tool or a server", key, serversOf(all)))
		}
	}
}

// collide reports tools whose names become one: an error where the team can change one of them.
func (l *linter) collide(all []*Tool, text string) {
	level := LintWarning
	var names []string
	for _, t := range all {
		if l.ownName[t.Name] {
			level = LintError
		}
		names = append(names, t.Name)
	}
	slices.Sort(names)
	l.add(level, LintCollision, text, slices.Compact(names)...)
}

// sanitise makes a name fit for any provider, in the way of most agents.
func sanitise(name string) string { return fitted(name[:min(len(name), maxSanitised)]) }

// fitted replaces the bytes of a name that providers refuse.
func fitted(name string) string {
	fit := []byte(name)
	for i, b := range fit {
		fit[i] = sanitised(b)
	}
	return string(fit)
}

// joinedName is a tool's name with its server before it, whether its name has the server already or not.
func joinedName(t *Tool) string {
	bare := t.Name
	if rest, ok := cutServer(t.Name, t.Server); ok {
		bare = rest
	}
	return t.Server + mcpSeparator + bare
}

func allSame(all []*Tool, of func(*Tool) string) bool {
	return !slices.ContainsFunc(all[1:], func(t *Tool) bool { return of(t) != of(all[0]) })
}

// maxServersSaid is how many tools are said with their servers in one finding.
const maxServersSaid = 4

// serversOf says which tool is of which server.
func serversOf(all []*Tool) string {
	var said []string
	for _, t := range all[:min(len(all), maxServersSaid)] {
		said = append(said, quoteName(t.Name)+" of "+quoteName(t.Server))
	}
	if more := len(all) - len(said); more > 0 {
		said = append(said, fmt.Sprintf("%d more", more))
	}
	return strings.Join(said, ", ")
}
