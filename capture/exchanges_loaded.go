package capture

import (
	"strconv"
	"strings"

	"github.com/tooltrail/tooltrail/events"
)

// loadedByResults tells of tools that a tool of the agent's own loaded, which no block of any API says: the request offers them and the
// one before did not, and a result that came in between names them in its JSON. A history told in other words shows nothing.
func (t *turn) loadedByResults() error {
	if t.replays {
		return nil
	}
	var names []string
	for _, name := range t.came {
		if !t.told[name] && t.namedInResults(name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return t.load(&toolLoad{via: events.ViaActivationTool, names: names})
}

// namedInResults reports whether a new result has a name as a JSON string.
func (t *turn) namedInResults(name string) bool {
	quoted := strconv.Quote(name)
	for _, text := range t.results {
		if strings.Contains(text, quoted) {
			return true
		}
	}
	return false
}

// missingIn names the tools that another list does not have; none where there is no other.
func (l *offeredTools) missingIn(other *offeredTools) []string {
	if other == nil {
		return nil
	}
	had := make(map[string]bool, len(other.known))
	for i := range other.known {
		had[other.known[i].def.Name] = true
	}
	var names []string
	for i := range l.known {
		if name := l.known[i].def.Name; name != "" && !had[name] {
			names = append(names, name)
		}
	}
	return names
}
