package mcpserver

import (
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/capture"
	"github.com/tooltrail/tooltrail/events"
)

// DefaultSource is who speaks in the events of a listing.
const DefaultSource = "tooltrail/snapshot"

// Events says a listing as a tool_definition a usable tool, under an id that its content gives, and a tool_roster of all. What does not
// fit into an event is in the errors, with its place.
func (l *Listing) Events(d events.Digester, at time.Time) ([]*events.Event, []error) {
	var out []*events.Event
	var bad []error
	add := func(what, id string, data events.Data) {
		e := &events.Event{ID: id, Source: DefaultSource, Time: at, Data: data}
		if err := fits(e); err != nil {
			bad = append(bad, fmt.Errorf("say %s: %w", what, err))
			return
		}
		out = append(out, e)
	}
	for i := range l.Tools {
		if t := &l.Tools[i]; t.Usable {
			add("tool "+t.Name, capture.EventID(events.KindToolDefinition, "", l.Server, t.Name, t.Digests.Wire), l.definition(t))
		}
	}
	roster, err := capture.ServerRoster(d, l.Server, l.Release, l.Definitions(false))
	if err != nil {
		return out, append(bad, err)
	}
	roster.Reason = events.RosterListChanged
	stamp := at.UTC().Format(time.RFC3339Nano)
	add("the list of tools", capture.EventID(events.KindToolRoster, "", l.Server, l.Release, stamp, roster.RosterDigest), roster)
	return out, bad
}

func fits(e *events.Event) error {
	if err := e.Validate(); err != nil {
		return err
	}
	_, err := events.AppendEvent(nil, e)
	return err
}

// ToolDefinitions returns the usable tools as a registry takes them.
func (l *Listing) ToolDefinitions() []*events.ToolDefinition {
	var out []*events.ToolDefinition
	for i := range l.Tools {
		if l.Tools[i].Usable {
			out = append(out, l.definition(&l.Tools[i]))
		}
	}
	return out
}

func (l *Listing) definition(t *Tool) *events.ToolDefinition {
	return &events.ToolDefinition{
		ToolName: t.Name, Server: l.Server, SchemaVersion: t.Version, Release: l.Release, Definition: t.Definition,
		WireDigest: t.Digests.Wire, DefinitionDigest: t.Digests.Definition, SchemaDigest: t.Digests.Schema,
	}
}

// releaseJSON is a release as a line of a history.
type releaseJSON struct {
	Release    string           `json:"release"`
	ReleasedAt time.Time        `json:"released_at"`
	Server     string           `json:"server"`
	Tools      []jsontext.Value `json:"tools"`
}

// Line returns the listing as one line of a history of releases: what `tooltrail schema changelog` and the format tool-history read.
// Blanks between the definitions' members are gone, all else is as the server sent it.
func (l *Listing) Line(at time.Time) ([]byte, error) {
	r := releaseJSON{Release: l.Release, ReleasedAt: at.UTC(), Server: l.Server, Tools: []jsontext.Value{}}
	for _, d := range l.Definitions(false) {
		d = d.Clone()
		if err := d.Compact(); err != nil {
			return nil, errors.New("write release: a definition is no JSON")
		}
		r.Tools = append(r.Tools, d)
	}
	line, err := json.Marshal(r, jsontext.PreserveRawStrings(true))
	if err != nil {
		return nil, fmt.Errorf("write release: %w", err)
	}
	return append(line, '\n'), nil
}
