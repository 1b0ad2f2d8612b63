package activation

import "github.com/tooltrail/tooltrail/events"

// maxRenames is how many renames in a row are followed to a present name.
const maxRenames = 16

// renamed finds the present name of a tool's former one, which may have its server before it.
func (r *Roster) renamed(name string) (Resolution, bool) {
	if len(r.renames) == 0 {
		return Resolution{}, false
	}
	if to, ok := r.renames[name]; ok {
		return r.resolutionOf(events.ResolvedRenamed, "", r.latest(to)), true
	}
	for _, s := range r.servers {
		rest, ok := cutServer(name, s.name)
		if !ok {
			continue
		}
		to, ok := r.renames[rest]
		if !ok {
			continue
		}
		if i, ok := r.ofServer(s.name, r.latest(to)); ok {
			return Resolution{events.ResolvedRenamed, HowQualified, s.name, r.tools[i].Name}, true
		}
	}
	return Resolution{}, false
}

// latest follows renames to a name that a tool bears now, or to the last one.
func (r *Roster) latest(name string) string {
	for range maxRenames {
		if _, ok := r.exact(name); ok {
			return name
		}
		to, ok := r.renames[name]
		if !ok {
			return name
		}
		name = to
	}
	return name
}

// ofServer finds a server's tool by its name, with the server before it or not.
func (r *Roster) ofServer(server, name string) (int, bool) {
	if i, ok := r.byServer[serverTool{server, name}]; ok {
		return i, true
	}
	i, ok := r.exact(name)
	return i, ok && r.tools[i].Server == server
}

// resolveRemoved looks a name that is like no tool's up among tools that were there before. A tool that is there no more is as
// unknown as one that never was; only people are told the difference.
func (s *State) resolveRemoved(name string) Resolution {
	unknown := Resolution{Resolution: events.ResolvedUnknown}
	for _, r := range s.former {
		if i, ok := r.exact(name); ok {
			unknown.How, unknown.Server, unknown.Name = HowRemoved, r.tools[i].Server, r.tools[i].Name
			return unknown
		}
	}
	if len(name) > maxName {
		return unknown
	}
	for _, r := range s.former {
		if res, ok := r.synonym(name); ok {
			return res
		}
	}
	if res, ok := s.roster.formerName(name); ok {
		return res
	}
	return unknown
}

// synonym finds a tool of a former roster that a name is like. What is there still the roster in force has not found to be like it.
func (r *Roster) synonym(name string) (Resolution, bool) {
	for _, rule := range [...]func(*Roster, string) (Resolution, bool){(*Roster).prefixRepair, (*Roster).sameLetters, (*Roster).near} {
		if res, ok := rule(r, name); ok && res.Name != "" {
			return Resolution{events.ResolvedGuessed, HowRemovedSynonym, res.Server, res.Name}, true
		}
	}
	return Resolution{}, false
}

// formerName finds the present name of a tool whose former name a name is like.
func (r *Roster) formerName(name string) (Resolution, bool) {
	f := formOf(name)
	if f.folded == "" || r.settings.NearEdits == 0 {
		return Resolution{}, false
	}
	best, distance := "", r.settings.maxDistance(&f)+1
	for former := range r.renames {
		g := formOf(former)
		d := nearness(&f, &g, distance)
		if d < distance || d == distance && best != "" && former < best {
			best, distance = former, d
		}
	}
	if best == "" {
		return Resolution{}, false
	}
	return r.resolutionOf(events.ResolvedGuessed, HowRemovedSynonym, r.latest(r.renames[best])), true
}
