package activation

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events"
)

// mergeTwins makes the tools of one name on one server alike: denied where one is, deferred where all are.
func mergeTwins(tools []Tool) {
	first := make(map[serverTool]int, len(tools))
	twins := false
	for i := range tools {
		t := &tools[i]
		at, taken := first[serverTool{t.Server, t.Name}]
		if !taken {
			first[serverTool{t.Server, t.Name}] = i
			continue
		}
		twins = true
		tools[at].Denied = tools[at].Denied || t.Denied
		tools[at].Deferred = tools[at].Deferred && t.Deferred
	}
	for i := range tools {
		if !twins {
			return
		}
		one := &tools[first[serverTool{tools[i].Server, tools[i].Name}]]
		tools[i].Denied, tools[i].Deferred = one.Denied, one.Deferred
	}
}

// sharedNames returns the names that tools of several servers have, with the tools.
func sharedNames(tools []Tool) map[string][]int {
	first := make(map[string]int, len(tools))
	shared := map[string][]int{}
	for i := range tools {
		at, taken := first[tools[i].Name]
		if !taken {
			first[tools[i].Name] = i
		} else if tools[i].Name != "" && tools[i].Server != tools[at].Server {
			shared[tools[i].Name] = nil
		}
	}
	if len(shared) == 0 {
		return nil
	}
	for i := range tools {
		if all, ok := shared[tools[i].Name]; ok {
			shared[tools[i].Name] = append(all, i)
		}
	}
	return shared
}

// qualify writes the server before the names that tools of several servers have, in the names and in the definitions: no API takes a name
// twice, and a call by it could run another tool than the model meant. The agent's own tool keeps its name. It depends on the names and
// servers alone, not on what is denied, deferred or connected.
func (r *Roster) qualify() {
	r.shared = sharedNames(r.tools)
	if len(r.shared) == 0 {
		return
	}
	taken := map[string]bool{}
	var all []serverTool
	for i := range r.tools {
		taken[r.tools[i].Name] = true
	}
	for name, of := range r.shared {
		for _, i := range of {
			if r.tools[i].Server != "" {
				all = append(all, serverTool{r.tools[i].Server, name})
			}
		}
	}
	slices.SortFunc(all, func(a, b serverTool) int { return cmp.Or(cmp.Compare(a.server, b.server), cmp.Compare(a.tool, b.tool)) })
	names := map[serverTool]string{}
	for _, k := range slices.Compact(all) {
		names[k] = freeName(k, taken)
		taken[names[k]] = true
	}
	for _, of := range r.shared {
		for _, i := range of {
			r.tools[i].qualify(names)
		}
	}
}

// freeName writes a server before its tool, so that no other tool has the name.
func freeName(k serverTool, taken map[string]bool) string {
	prefix := []byte(k.server)
	for i := range prefix {
		prefix[i] = sanitised(prefix[i])
	}
	name := string(prefix) + mcpSeparator + k.tool
	if taken[name] {
		name = mcpPrefix + name
	}
	free := name
	for n := 2; taken[free]; n++ {
		free = fmt.Sprintf("%s_%d", name, n)
	}
	return free
}

// qualify gives a tool the name that is chosen for it.
func (t *Tool) qualify(names map[serverTool]string) {
	name, ok := names[serverTool{t.Server, t.Name}]
	if !ok {
		return
	}
	if def, err := events.ParseTool(t.Definition); err == nil && def.Name == t.Name {
		t.Definition = withName(t.Definition, name)
	}
	t.NameOnServer, t.Name = t.Name, name
}

// withName returns a definition with another name; all other bytes stay.
func withName(def jsontext.Value, name string) jsontext.Value {
	start, end := nameAt(def)
	quoted, err := jsontext.AppendQuote(nil, name)
	if err != nil || end == 0 {
		return def
	}
	return slices.Concat(def[:start], quoted, def[end:])
}

// nameAt finds a definition's name, within the object that holds it in some APIs; zeros where there is none.
func nameAt(object jsontext.Value) (start, end int) {
	d := jsontext.NewDecoder(bytes.NewReader(object), jsontext.AllowDuplicateNames(true))
	if t, err := d.ReadToken(); err != nil || t.Kind() != jsontext.KindBeginObject {
		return 0, 0
	}
	inner := false
	for d.PeekKind() == jsontext.KindString {
		key, err := d.ReadToken()
		if err != nil {
			return start, end
		}
		member := key.String()
		value, err := d.ReadValue()
		if err != nil {
			return start, end
		}
		to := int(d.InputOffset())
		from := to - len(value)
		switch member {
		case functionMember, "toolSpec", "systemTool":
			if s, e := nameAt(value); e > 0 {
				start, end, inner = from+s, from+e, true
			}
		case "name":
			if !inner {
				start, end = from, to
			}
		}
	}
	return start, end
}

// NameOnServer returns the name by which the server of a tool knows it, by the roster's name of the tool. They differ where tools of several
// servers have one name, see [NewRoster]. A name that is not in the roster is returned as it is.
func (r *Roster) NameOnServer(name string) string {
	if r == nil {
		return name
	}
	if i, ok := r.exact(name); ok {
		return cmp.Or(r.tools[i].NameOnServer, r.tools[i].Name)
	}
	return name
}

// tell lets names that events list for several servers stand: an agent that sent such a list knew what it meant. Such a name is that of the one
// tool that can be called, or of none of several, and is then deferred or denied where all of them are.
func (r *Roster) tell() {
	r.shared = sharedNames(r.tools)
	for name, of := range r.shared {
		slices.SortStableFunc(of, func(a, b int) int {
			x, y := &r.tools[a], &r.tools[b]
			return cmp.Or(r.closed(x)-r.closed(y), cmp.Compare(x.Server, y.Server))
		})
		best := of[0]
		open := slices.IndexFunc(of, func(i int) bool { return r.closed(&r.tools[i]) != r.closed(&r.tools[best]) })
		if open < 0 {
			open = len(of)
		}
		if same := of[:open]; r.closed(&r.tools[best]) < isAway && r.severalServers(same) {
			t := Tool{Name: name, Deferred: true, Denied: r.tools[best].Denied}
			for _, i := range same {
				t.Deferred = t.Deferred && r.tools[i].Deferred
			}
			best = len(r.tools)
			r.tools = append(r.tools, t)
		}
		r.byName[name] = best
	}
}

func (r *Roster) severalServers(of []int) bool {
	return slices.ContainsFunc(of, func(i int) bool { return r.tools[i].Server != r.tools[of[0]].Server })
}

// isAway is how closed a tool is whose server is not connected.
const isAway = 2

// closed says how closed a tool is to be called.
func (r *Roster) closed(t *Tool) int {
	switch {
	case !r.isConnected(t.Server):
		return isAway
	case t.Denied:
		return 1
	}
	return 0
}

// sharedGroups are the names that tools of several servers have, as they are told apart.
func (r *Roster) sharedGroups() [][]string {
	var groups [][]string
	for name, of := range r.shared {
		var group []string
		for _, i := range slices.Sorted(slices.Values(of)) {
			t := &r.tools[i]
			shown := t.Name
			if t.Server != "" && t.NameOnServer == "" {
				shown = t.Server + "/" + name
			}
			if !slices.Contains(group, shown) {
				group = append(group, shown)
			}
		}
		groups = append(groups, group)
	}
	slices.SortFunc(groups, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
	return groups
}
