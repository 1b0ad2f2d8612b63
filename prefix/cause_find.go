package prefix

import (
	"slices"
	"strings"
)

// thresholdTools is the least number of tools that must have become deferred, or ceased to be, at once for a threshold to have been
// crossed: fewer may be tools that were loaded.
const thresholdTools = 3

// explain names what made the prefix change between a request and the one it is compared with: the first cause that is tried and
// holds. It names none rather than a wrong one.
func (j *judge) explain(n *node) {
	v := &n.out
	tools, others := v.gives(ToolsChanged), v.gives(ModelChanged) || v.gives(SystemChanged) || v.gives(ParamsChanged)
	if n.to == nil || !tools && !others {
		return
	}
	c := &change{before: n.to.req, after: n.req, known: j.Known, between: j.around.between(n.to.req, n.req)}
	if tools && v.Verdict != ModelChanged { // no tool made the model change
		c.sort(v.Tools)
	}
	for _, try := range []struct {
		kind CauseKind
		find func() ([]string, bool)
	}{
		{CauseActivation, c.activation},
		{CauseReconnect, c.reconnect},
		{CauseListChange, func() ([]string, bool) { return c.listed(HappenedListChange) }},
		{CausePermission, func() ([]string, bool) { return c.listed(HappenedPermission) }},
		{CauseThreshold, c.threshold},
		{CauseDeploy, c.deploy},
	} {
		if names, ok := try.find(); ok {
			v.Cause, v.CauseNames = try.kind, names
			return
		}
	}
}

// gives reports whether a verdict or a secondary reason is r.
func (v *Judged) gives(r Verdict) bool { return v.Verdict == r || slices.Contains(v.Secondary, r) }

// change is what changed between two requests, and what happened between them.
type change struct {
	before, after *Observed
	known         KnownTools
	between       []*Happening
	// came, gone and other are the tools that only the later one has, only the earlier one has, and both have in another form.
	came, gone, other []string
}

func (c *change) sort(tools []ToolChange) {
	is, was := toolIndex(c.after.Tools), toolIndex(c.before.Tools)
	for _, t := range tools {
		_, here := is[t.Name]
		_, there := was[t.Name]
		switch {
		case !there:
			c.came = append(c.came, t.Name)
		case !here:
			c.gone = append(c.gone, t.Name)
		default:
			c.other = append(c.other, t.Name)
		}
	}
}

// sameRoster reports that one roster was in force at both requests, so that none that came between them changed anything.
func (c *change) sameRoster() bool {
	return c.before.RosterDigest != "" && c.before.RosterDigest == c.after.RosterDigest
}

// rosters returns the happenings of some kind that a roster told of, other than the one in force at the earlier request: that is
// sent when the request has begun. Where it is not known which was in force, what came before the answer doesn't count.
func (c *change) rosters(kind HappeningKind) []*Happening {
	if c.sameRoster() {
		return nil
	}
	var all []*Happening
	for _, h := range c.between {
		known := h.Digest != "" && c.before.RosterDigest != ""
		later := h.Turn > c.before.Turn || h.Time.After(c.before.end())
		if h.Kind == kind && (known && h.Digest != c.before.RosterDigest || !known && later) {
			all = append(all, h)
		}
	}
	return all
}

// activation names the tools that came and that an activation had loaded.
func (c *change) activation() ([]string, bool) {
	loaded := map[string]bool{}
	for _, h := range c.between {
		if h.Kind == HappenedActivation {
			for _, name := range h.Tools {
				loaded[name] = true
			}
		}
	}
	names := pick(c.came, func(name string) bool { return loaded[name] })
	return names, len(names) > 0
}

// reconnect names the servers that came or went and whose tools did: those that bear the server's name, or, where none does, all
// of them, when the new list has those that came and not those that are gone.
func (c *change) reconnect() ([]string, bool) {
	var servers []string
	for _, h := range c.rosters(HappenedConnection) {
		named := pick(h.Servers, func(server string) bool {
			return slices.ContainsFunc(slices.Concat(c.came, c.gone), func(tool string) bool { return isOfServer(tool, server) })
		})
		if len(named) == 0 && len(c.came)+len(c.gone) > 0 && len(c.listedBy(h)) == len(c.came)+len(c.gone) {
			named = h.Servers
		}
		for _, s := range named {
			if !slices.Contains(servers, s) {
				servers = append(servers, s)
			}
		}
	}
	return servers, len(servers) > 0
}

// listed names the tools that changed as a new list says: those that came are in it, those that are gone are not. A permission
// changes no definition.
func (c *change) listed(kind HappeningKind) ([]string, bool) {
	explained := map[string]bool{}
	for _, h := range c.rosters(kind) {
		for _, name := range c.listedBy(h) {
			explained[name] = true
		}
		if kind != HappenedListChange {
			continue
		}
		for _, name := range c.other {
			explained[name] = explained[name] || lists(h, name)
		}
	}
	names := pick(slices.Concat(c.came, c.gone, c.other), func(name string) bool { return explained[name] })
	return slices.Compact(names), len(names) > 0
}

// listedBy returns the tools that came and are in a happening's list, and those that are gone and are not, as far as they are its
// servers'. What the rosters in force are known to have had before, or to have still, is left out.
func (c *change) listedBy(h *Happening) []string {
	if len(h.Tools) == 0 {
		return nil
	}
	had, has := c.known.Deferred[c.before.RosterDigest], c.known.Deferred[c.after.RosterDigest]
	names := pick(c.came, func(name string) bool {
		_, before := had[name]
		return lists(h, name) && !before
	})
	return append(names, pick(c.gone, func(name string) bool {
		_, still := has[name]
		return !lists(h, name) && !still && (h.Kind == HappenedConnection || isOfAny(name, h.Servers))
	})...)
}

// lists reports whether a happening's list has a tool, under its own name or under that of its server.
func lists(h *Happening, tool string) bool {
	for _, name := range h.Tools {
		if name == tool {
			return true
		}
		for _, s := range h.Servers {
			if isOfServer(tool, s) && strings.HasSuffix(tool, name) && len(tool) > len(name)+len(s) {
				return true
			}
		}
	}
	return false
}

// isOfAny reports whether a tool is one of some servers'; of any where none is named.
func isOfAny(tool string, servers []string) bool {
	return len(servers) == 0 || slices.ContainsFunc(servers, func(s string) bool { return isOfServer(tool, s) })
}

// isOfServer reports whether a tool bears the name of a server as agents write it.
func isOfServer(tool, server string) bool {
	rest, ok := strings.CutPrefix(strings.TrimPrefix(tool, "mcp__"), server)
	return ok && server != "" && (strings.HasPrefix(rest, "__") || strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "/"))
}

// threshold names the tools that came or went when all became deferred at once, or none was any more.
func (c *change) threshold() ([]string, bool) {
	was, is := c.known.Deferred[c.before.RosterDigest], c.known.Deferred[c.after.RosterDigest]
	if len(was) == 0 || len(is) == 0 || anyDeferred(was) == anyDeferred(is) {
		return nil, false
	}
	flipped := 0
	for name, deferred := range was {
		if now, ok := is[name]; ok && now != deferred {
			flipped++
		}
	}
	names := pick(slices.Concat(c.came, c.gone), func(name string) bool {
		before, ok := was[name]
		now, still := is[name]
		return ok && still && before != now
	})
	return names, flipped >= thresholdTools && len(names) > 0
}

func anyDeferred(tools map[string]bool) bool {
	for _, deferred := range tools {
		if deferred {
			return true
		}
	}
	return false
}

// deploy names the two versions of the agent, where they are known. It explains any part of the prefix.
func (c *change) deploy() ([]string, bool) {
	was, is := c.before.AgentVersion, c.after.AgentVersion
	if was != "" && is != "" && was != is {
		return []string{was, is}, true
	}
	return nil, len(c.rosters(HappenedDeploy)) > 0
}

// pick returns the names that hold.
func pick(names []string, holds func(string) bool) []string {
	var all []string
	for _, n := range names {
		if holds(n) {
			all = append(all, n)
		}
	}
	return all
}
