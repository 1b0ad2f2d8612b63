package activation

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tooltrail/tooltrail/events"
)

const (
	// maxEventNames is how many names of each kind one activation event holds; what is beyond is in the agent's hands alone.
	maxEventNames = 1000
	// maxEventName is the longest name in an activation event, in bytes; a longer one is cut.
	maxEventName = 256
)

// Text is the answer for the model: what was loaded, and of each other name why it was not. It holds no guesses: a name that no tool
// has stands alone.
func (l *Loaded) Text() string {
	var lines []string
	if len(l.Names) > 0 {
		who, when := " They", " can be called now."
		if len(l.Names) == 1 {
			who = " It"
		}
		if l.Via == events.ViaActivationTool {
			when = " can be called from your next message on."
		}
		lines = append(lines, "Loaded: "+quoteNames(l.Names)+"."+who+when)
	}
	for _, name := range slices.Sorted(maps.Keys(l.Meant)) {
		lines = append(lines, ShownName(name)+" is "+quoteName(l.Meant[name])+": call it by that name.")
	}
	for i := range l.Refused {
		lines = append(lines, l.Refused[i].Text())
	}
	if len(lines) == 0 {
		return "Nothing was asked for."
	}
	return strings.Join(lines, "\n")
}

// quoteNames lists names, written as the roster's text writes them.
func quoteNames(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = quoteName(n)
	}
	return strings.Join(quoted, ", ")
}

// Text says to the model why a name was not loaded, and what to do.
func (r *Refused) Text() string {
	name := ShownName(r.Name)
	switch r.Reason {
	case events.RefusedConnectorName:
		if len(r.Tools) == 0 {
			return name + " is a connector, not a tool, and has no tools that you may use."
		}
		text := name + " is a connector, not a tool. Load its tools by their names: " + quoteNames(r.Tools) + "."
		if len(r.Rest) > 0 {
			others := "others are"
			if len(r.Rest) == 1 {
				others = "other one is"
			}
			text += fmt.Sprintf(" These are %d of its %d tools, the first by name; the %s in the list of tools.", len(r.Tools), len(r.Tools)+len(r.Rest), others)
		}
		return text
	case events.RefusedAlreadyLoaded:
		return name + " is loaded already. Call it; don't load it again."
	case events.RefusedNotConnected:
		return name + " was not loaded: its connector is not connected."
	case events.RefusedNotPermitted:
		return name + " was not loaded: you are not permitted to use it."
	case events.RefusedPolicy:
		return name + " was not loaded: the policy for tools does not allow it."
	case events.RefusedClientCapability:
		if r.NoDefinition {
			return name + " was not loaded: it has no definition that can be shown to you. Do without it."
		}
		return name + " was not loaded: this client can not run it."
	}
	return name + " was not loaded: there is no such tool. Load only tools that are listed, by their exact names."
}

// Event returns what came of the request as an event. Names that no tool
// has may be of any bytes and are cut at 256; of more than 1,000 the first stand in the event. Tokens are for the agent to fill in.
func (l *Loaded) Event(about events.Context) events.Activation {
	a := events.Activation{Context: about, Via: l.Via, Asked: eventNames(l.Asked), Loaded: eventNames(l.Names)}
	for i := range l.Refused {
		r := &l.Refused[i]
		if r.Reason == events.RefusedConnectorName && a.Server == "" {
			a.Server = r.Server
		}
		if i < maxEventNames {
			a.Refused = append(a.Refused, events.RefusedTool{Name: eventName(r.Name), Reason: r.Reason})
		}
	}
	return a
}

func eventNames(names []string) []string {
	var all []string
	for _, n := range names[:min(len(names), maxEventNames)] {
		all = append(all, eventName(n))
	}
	return all
}

// nameMark is what a name that was cut ends with.
const nameMark = "..."

// eventName makes a name of any bytes valid UTF-8 that is not too long. A name that was made so stays as it is.
func eventName(name string) string {
	if fitsEvent(name) && utf8.ValidString(name) {
		return name
	}
	if len(name) > maxEventName {
		name = strings.ToValidUTF8(name[:maxEventName], "") + nameMark
	}
	if name = strings.ToValidUTF8(name, string(utf8.RuneError)); !fitsEvent(name) {
		name = strings.ToValidUTF8(name[:maxEventName], "") + nameMark // it grew
	}
	return name
}

// fitsEvent reports that a name is not too long, or was cut.
func fitsEvent(name string) bool {
	return len(name) <= maxEventName || len(name) <= maxEventName+len(nameMark) && strings.HasSuffix(name, nameMark)
}
