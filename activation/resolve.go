package activation

import (
	"strings"

	"github.com/tooltrail/tooltrail/events"
)

// Resolution is what looking a name up said.
type Resolution struct {
	// Resolution is the first rule that matched; empty when nothing is known about the conversation's tools.
	Resolution events.Resolution
	// How says more: qualified, case, separator, collision, near, dropped_prefix, doubled_prefix, added_prefix.
	How string
	// Server is the server of the tool that was meant.
	Server string
	// Name is the tool that was meant, by the roster's name; empty where nothing was found. For [events.ResolvedGuessed] and
	// [events.ResolvedPrefixRepair] it is a guess: show it to people only.
	Name string
}

// The words of [Resolution.How].
const (
	HowQualified     = "qualified"
	HowCase          = "case"
	HowSeparator     = "separator"
	HowCollision     = "collision"
	HowNear          = "near"
	HowDroppedPrefix = "dropped_prefix"
	HowDoubledPrefix = "doubled_prefix"
	HowAddedPrefix   = "added_prefix"
)

// maxName is the longest name, in bytes, that is compared with others; a longer one is exact or unknown.
const maxName = 256

// Resolve looks a called name up. A match of the exact name allocates nothing.
func (s *State) Resolve(name string) Resolution {
	if s.roster == nil {
		return s.resolveLoaded(name, "")
	}
	i, ok := s.roster.exact(name)
	if ok {
		if res, ok := s.resolveOffered(name, &s.roster.tools[i]); ok {
			return res
		}
	} else if res := s.resolveLoaded(name, ""); res.Resolution != "" {
		return res
	}
	return s.roster.resolveOther(name, i, ok)
}

// resolveLoaded finds a name that was loaded without being in a roster.
func (s *State) resolveLoaded(name string, otherwise events.Resolution) Resolution {
	if _, ok := s.loaded[name]; ok {
		return Resolution{Resolution: events.ResolvedOK, Name: name}
	}
	return Resolution{Resolution: otherwise}
}

// resolveOffered judges a tool that is in the roster and may be used.
func (s *State) resolveOffered(name string, t *Tool) (Resolution, bool) {
	if t.Denied || !s.roster.isConnected(t.Server) {
		return Resolution{}, false
	}
	res := Resolution{Resolution: events.ResolvedOK, Server: t.Server, Name: t.Name}
	if !s.isLoaded(t) {
		res.Resolution = events.ResolvedNotActivated
	}
	if name != t.Name {
		res.How = HowQualified
	}
	return res, true
}

// exact finds a tool by its name, or by its server and name in one of the usual ways of writing both.
func (r *Roster) exact(name string) (int, bool) {
	if i, ok := r.byName[name]; ok {
		return i, true
	}
	for _, s := range r.servers {
		rest, ok := cutServer(name, s.name)
		if !ok {
			continue
		}
		if i, ok := r.byServer[serverTool{s.name, rest}]; ok {
			return i, true
		}
	}
	return 0, false
}

func (r *Roster) isConnected(name string) bool {
	if name == "" {
		return true
	}
	for _, s := range r.servers {
		if s.name == name {
			return s.connected
		}
	}
	return true
}

// resolveOther tries the rules after "in the roster but not loaded", in their order. The tool i bears the name if found.
func (r *Roster) resolveOther(name string, i int, found bool) Resolution {
	if !found {
		if to, ok := r.renames[name]; ok {
			return r.resolutionOf(events.ResolvedRenamed, "", to)
		}
	}
	if server, tool, ok := r.notConnected(name, i, found); ok {
		return Resolution{Resolution: events.ResolvedNotConnected, Server: server, Name: tool}
	}
	if found {
		return Resolution{Resolution: events.ResolvedNotPermitted, Server: r.tools[i].Server, Name: r.tools[i].Name}
	}
	if len(name) > maxName || strings.TrimSpace(name) == "" {
		return Resolution{Resolution: events.ResolvedUnknown}
	}
	for _, rule := range [...]func(*Roster, string) (Resolution, bool){
		(*Roster).connectorName, (*Roster).prefixRepair, (*Roster).sameLetters, (*Roster).near,
	} {
		if res, ok := rule(r, name); ok {
			return res
		}
	}
	return Resolution{Resolution: events.ResolvedUnknown}
}

// resolutionOf names a tool with its server where the roster has it.
func (r *Roster) resolutionOf(res events.Resolution, how, name string) Resolution {
	out := Resolution{Resolution: res, How: how, Name: name}
	if i, ok := r.exact(name); ok {
		out.Server, out.Name = r.tools[i].Server, r.tools[i].Name
	}
	return out
}

// notConnected finds a name whose server is known and not connected: a tool of the roster, or any tool that names the server.
func (r *Roster) notConnected(name string, i int, found bool) (server, tool string, ok bool) {
	if found {
		t := &r.tools[i]
		return t.Server, t.Name, !r.isConnected(t.Server)
	}
	s, rest, ok := r.split(name)
	return s.name, rest, ok && !s.connected
}

// connectorName finds a server's own name, whatever its case.
func (r *Roster) connectorName(name string) (Resolution, bool) {
	bare, _ := strings.CutPrefix(name, mcpPrefix)
	bare = strings.TrimPrefix(bare, "@")
	for _, s := range r.servers {
		if strings.EqualFold(s.name, name) || strings.EqualFold(s.name, bare) {
			return Resolution{Resolution: events.ResolvedConnectorName, Server: s.name}, true
		}
	}
	return Resolution{}, false
}

// prefixRepair finds a tool whose name differs by a prefix that was dropped, doubled or added.
func (r *Roster) prefixRepair(name string) (Resolution, bool) {
	if i, ok := r.byBare[name]; ok && i != collides {
		return r.resolutionOf(events.ResolvedPrefixRepair, HowDroppedPrefix, r.tools[i].Name), true
	}
	for _, c := range r.prefixCandidates(name) {
		if _, ok := r.byName[c.name]; ok {
			return r.resolutionOf(events.ResolvedPrefixRepair, c.how, c.name), true
		}
	}
	return Resolution{}, false
}

type candidate struct{ name, how string }

// prefixCandidates returns the names that a name would be with a prefix once more or once less.
func (r *Roster) prefixCandidates(name string) []candidate {
	var all []candidate
	for at := 1; at < len(name)-1; at++ {
		if !isSeparator(name[at]) {
			continue
		}
		end := at + 1
		for end < len(name) && isSeparator(name[end]) {
			end++
		}
		prefix, rest := name[:end], name[end:]
		all = append(all, candidate{prefix + name, HowDoubledPrefix})
		if strings.HasPrefix(rest, prefix) {
			all = append(all, candidate{rest, HowDoubledPrefix})
		}
		at = end - 1
	}
	return append(all, r.serverCandidates(name)...)
}

// serverCandidates returns the names that a name would be with a server's name before it, or without it.
func (r *Roster) serverCandidates(name string) []candidate {
	var all []candidate
	for _, s := range r.servers {
		for _, sep := range [...]string{"_", "-"} {
			all = append(all, candidate{s.name + sep + name, HowDroppedPrefix})
			if rest, ok := strings.CutPrefix(name, s.name+sep); ok {
				all = append(all, candidate{rest, HowAddedPrefix})
			}
		}
		if rest, ok := cutServer(name, s.name); ok {
			all = append(all, candidate{rest, HowAddedPrefix})
		}
	}
	if rest, ok := strings.CutPrefix(name, mcpPrefix); ok {
		if at := strings.LastIndex(rest, mcpSeparator); at > 0 {
			all = append(all, candidate{rest[at+len(mcpSeparator):], HowAddedPrefix})
		}
	}
	return all
}

// sameLetters finds a tool whose name differs by case and separators only.
func (r *Roster) sameLetters(name string) (Resolution, bool) {
	i, ok := r.byFold[fold(name)]
	switch {
	case !ok || fold(name) == "":
		return Resolution{}, false
	case i == collides:
		return Resolution{Resolution: events.ResolvedGuessed, How: HowCollision}, true
	}
	how := HowSeparator
	if letters(name) != letters(r.tools[i].Name) {
		how = HowCase
	}
	return r.resolutionOf(events.ResolvedGuessed, how, r.tools[i].Name), true
}

func isSeparator(b byte) bool {
	switch b {
	case '_', '-', '.', ':', '/':
		return true
	}
	return false
}

// letters drops '-', '_' and '.' from a name; fold drops case too.
func letters(name string) string {
	return strings.Map(func(c rune) rune {
		if c == '-' || c == '_' || c == '.' {
			return -1
		}
		return c
	}, name)
}

func fold(name string) string { return strings.ToLower(letters(name)) }
