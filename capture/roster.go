package capture

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events"
)

// ServerRoster returns the roster of one server's list of tools, as a history of releases gives it: the same list has the same digest
// wherever it was read. The reason is [events.RosterUnknown].
func ServerRoster(d events.Digester, server, release string, definitions []jsontext.Value) (*events.ToolRoster, error) {
	tools, err := readTools(d, definitions)
	if err != nil {
		return nil, fmt.Errorf("make roster: %w", err)
	}
	r := rosterOf(d, tools)
	r.Server, r.Release = server, release
	return r, nil
}
