package activation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Mention is what mentioning a server, as "@github", brings.
type Mention struct {
	// Server is the server's own name.
	Server string
	// Loaded are the tools to load, sorted; Rest are those beyond the limit: still in the roster, to be loaded by name.
	Loaded, Rest []string
}

// Mention returns the tools of a server that is mentioned, with or without an @: the first by name up to the limit, 0 for
// the one of the roster's settings, whose default is [MentionLimit]. Which they are depends on the roster alone, not on what is loaded. A server is found by its exact name, else by one equal
// but for case; it reports false where there is none or more than one, or where it is not connected.
func (r *Roster) Mention(server string, limit int) (Mention, bool) {
	name, ok := r.connectedServer(strings.TrimPrefix(server, "@"))
	if !ok {
		return Mention{}, false
	}
	var all []string
	for _, e := range r.book().byServer {
		if e.server == name {
			all = append(all, e.name)
		}
	}
	limit = min(max(cmp.Or(limit, r.settings.Roster.MentionLimit, MentionLimit), 0), len(all))
	return Mention{Server: name, Loaded: all[:limit:limit], Rest: slices.Clip(all[limit:])}, true
}

// connectedServer finds a connected server by its name, or by the one name that is equal but for case.
func (r *Roster) connectedServer(name string) (string, bool) {
	found, times := "", 0
	for _, s := range r.servers {
		switch {
		case s.name == name:
			return name, s.connected
		case strings.EqualFold(s.name, name):
			if times++; s.connected {
				found = s.name
			}
		}
	}
	return found, times == 1 && found != ""
}

// String says what was loaded and what was not, in one sentence for the model and the user.
func (m Mention) String() string {
	loaded, rest := len(m.Loaded), len(m.Rest)
	switch {
	case m.Server == "":
		return "There is no connected server of that name: nothing was loaded."
	case loaded+rest == 0:
		return quoteName(m.Server) + " has no tools that can be loaded."
	case loaded == 1 && rest == 0:
		return "Loaded the one tool of " + quoteName(m.Server) + "."
	case rest == 0:
		return fmt.Sprintf("Loaded all tools of %s: %d.", quoteName(m.Server), loaded)
	}
	others := fmt.Sprintf("the other %d are in the list of tools: load them by name.", rest)
	if rest == 1 {
		others = "the other one is in the list of tools: load it by name."
	}
	return fmt.Sprintf("Loaded %d of the %d tools of %s, the first by name; %s", loaded, loaded+rest, quoteName(m.Server), others)
}
