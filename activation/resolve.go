package activation

import (
	"strings"

	"github.com/tooltrail/tooltrail/events"
)

// Resolution is what looking a name up said.
type Resolution struct {
	// Resolution is the first rule that matched; empty when nothing is known about the conversation's tools.
	Resolution events.Resolution
	// How says more, see [HowQualified] and the words beside it; empty for most.
	How string
	// Server is the server of the tool that was meant.
	Server string
	// Name is the tool that was meant, by the roster's name; empty where nothing was found. For [events.ResolvedGuessed] and
	// [events.ResolvedPrefixRepair] it is a guess: show it to people only.
	Name string
}

// The words of [Resolution.How].
const (
	// HowQualified is an exact name with its server before it.
	HowQualified = "qualified"
	// HowProvider is a tool that the provider ran itself: it needs no roster.
	HowProvider = "provider"
	// HowCase and HowSeparator are guesses that differ by case, or by '-', '_' and '.' alone.
	HowCase      = "case"
	HowSeparator = "separator"
	// HowCollision is a name that two tools come down to, without case and separators, without prefix, or made fit for a provider.
	// None is named.
	HowCollision = "collision"
	// HowNear is a guess a few letters or a word away.
	HowNear = "near"
	// HowDroppedPrefix, HowDoubledPrefix and HowAddedPrefix are what was done to the prefix of the tool that was meant.
	HowDroppedPrefix = "dropped_prefix"
	HowDoubledPrefix = "doubled_prefix"
	HowAddedPrefix   = "added_prefix"
	// HowRemoved is the exact name of a tool that was there before and is not any more.
	HowRemoved = "removed"
	// HowRemovedSynonym is a guess at such a tool, or at the former name of a renamed one.
	HowRemovedSynonym = "removed_synonym"
)

// maxName is the longest name, in bytes, that is compared with others; a longer one is exact or unknown.
const maxName = 256

// Resolve looks a called name up. A match of the exact name allocates nothing.
func (s *State) Resolve(name string) Resolution {
	if s.roster == nil {
		return s.resolveBrought(name)
	}
	i, ok := s.roster.exact(name)
	switch {
	case ok:
		if res, ok := s.resolveOffered(name, &s.roster.tools[i]); ok {
			return res
		}
	case i == collides:
		return Resolution{Resolution: events.ResolvedGuessed, How: HowCollision}
	default:
		if res := s.resolveBrought(name); res.Resolution != "" {
			return res
		}
	}
	res := s.roster.resolveOther(name, i, ok)
	if res.Resolution == events.ResolvedUnknown {
		return s.resolveRemoved(name)
	}
	return res
}

// resolveBrought finds a name that was loaded without being in a roster: by a search, a reference, a capability or an addition.
// The resolution is empty where there is none, and where its server has gone since.
func (s *State) resolveBrought(name string) Resolution {
	brought, pending := s.isBrought(name), s.isPending(name)
	if s.roster != nil && (brought || pending) {
		if _, _, away := s.roster.notConnected(name, 0, false); away {
			return Resolution{}
		}
	}
	switch {
	case brought:
		return Resolution{Resolution: events.ResolvedOK, Name: name}
	case pending:
		return Resolution{Resolution: events.ResolvedNotActivated, Name: name}
	}
	return Resolution{}
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

// exact finds a tool by its name, or by its server and name in one of the usual ways of writing both. The index is collides, and
// nothing is found, where that may be two tools: c of the server a__b, and b__c of the server a.
func (r *Roster) exact(name string) (int, bool) {
	if i, ok := r.byName[name]; ok {
		return i, true
	}
	found := -1
	if !r.joined(name, false, &found) {
		return collides, false
	}
	if rest, ok := strings.CutPrefix(name, mcpPrefix); ok && !r.joined(rest, true, &found) {
		return collides, false
	}
	return max(found, 0), found >= 0
}

// joined looks a name up at each separator that may stand between a server and its tool, see [cutServer]; after mcp__ that is a double
// underscore. It reports false where there is another tool than the one found before. Servers of longer names than [maxName] have no joined ones.
func (r *Roster) joined(name string, afterMCP bool, found *int) bool {
	if len(r.servers) == 0 {
		return true
	}
	longest := min(len(r.servers[0].name), maxName)
	for at := 1; at <= longest && at < len(name)-1; at++ {
		n := separatorAt(name, at, afterMCP)
		if n == 0 {
			continue
		}
		i, ok := r.byServer[serverTool{name[:at], name[at+n:]}]
		if ok && *found >= 0 && *found != i {
			return false
		}
		if ok {
			*found = i
		}
	}
	return true
}

// separatorAt returns the length of the separator of a server and a tool at a place of a name; 0 where there is none.
func separatorAt(name string, at int, afterMCP bool) int {
	switch c := name[at]; {
	case c == '_' && name[at+1] == '_':
		return len(mcpSeparator)
	case !afterMCP && (c == '.' || c == ':' || c == '/'):
		return 1
	}
	return 0
}

func (r *Roster) isConnected(server string) bool { return !r.away[server] }

// resolveOther tries the rules after "in the roster but not loaded", in their order. The tool i bears the name if found.
func (r *Roster) resolveOther(name string, i int, found bool) Resolution {
	if !found {
		if res, ok := r.renamed(name); ok {
			return res
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
	if len(r.away) == 0 {
		return "", "", false
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

// prefixRepair finds a tool whose name differs by a prefix that was dropped, doubled or added. Where that may be two tools, none is
// named.
func (r *Roster) prefixRepair(name string) (Resolution, bool) {
	best, how := -1, ""
	if i, ok := r.byBare[name]; ok {
		best, how = i, HowDroppedPrefix
		if i == collides {
			return Resolution{Resolution: events.ResolvedPrefixRepair, How: HowCollision}, true
		}
	}
	for _, c := range r.prefixCandidates(name) {
		i, ok := r.byName[c.name]
		switch {
		case !ok || i == best:
		case best < 0:
			best, how = i, c.how
		case c.how == how:
			return Resolution{Resolution: events.ResolvedPrefixRepair, How: HowCollision}, true
		}
	}
	if best < 0 {
		return Resolution{}, false
	}
	return r.resolutionOf(events.ResolvedPrefixRepair, how, r.tools[best].Name), true
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
		if len(prefix)+len(name) <= r.longest {
			all = append(all, candidate{prefix + name, HowDoubledPrefix})
		}
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
			if len(s.name)+len(sep)+len(name) <= r.longest {
				all = append(all, candidate{s.name + sep + name, HowDroppedPrefix})
			}
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
