package capture

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events"
)

// knownTool is a tool definition with its digests.
type knownTool struct {
	def     events.Tool
	digests events.ToolDigests
	server  string
}

// readTools reads a list of definitions in any form. The error names the place and quotes nothing.
func readTools(d events.Digester, raw []jsontext.Value) ([]knownTool, error) {
	tools := make([]knownTool, 0, len(raw))
	for i, v := range raw {
		def, err := events.ParseTool(v)
		if err != nil {
			return nil, fmt.Errorf("tool %d: %s", i, eventReason(err))
		}
		digests, err := d.Tool(v)
		if err != nil {
			return nil, fmt.Errorf("tool %d: %s", i, eventReason(err))
		}
		tools = append(tools, knownTool{def: def, digests: digests})
	}
	return tools, nil
}

// definition returns the event data that says the tool's definition.
func (t *knownTool) definition() *events.ToolDefinition {
	return &events.ToolDefinition{
		ToolName:         t.def.Name,
		Server:           t.server,
		WireDigest:       t.digests.Wire,
		DefinitionDigest: t.digests.Definition,
		SchemaDigest:     t.digests.Schema,
		Definition:       t.def.Raw,
	}
}

// rosterOf returns a roster of tools in their order, named by the digest of their names and wire digests.
func rosterOf(d events.Digester, tools []knownTool) *events.ToolRoster {
	r := &events.ToolRoster{Reason: events.RosterUnknown}
	var content strings.Builder
	for i := range tools {
		t := &tools[i]
		r.Tools = append(r.Tools, events.RosterTool{
			Name:             t.def.Name,
			Server:           t.server,
			WireDigest:       t.digests.Wire,
			DefinitionDigest: t.digests.Definition,
			SchemaDigest:     t.digests.Schema,
			Deferred:         t.def.Deferred,
			SummaryLength:    int64(utf8.RuneCountInString(t.def.Description)),
		})
		fmt.Fprintf(&content, "%s\x00%s\x00%s\x00%t\x00", t.server, t.def.Name, t.digests.Wire, t.def.Deferred)
	}
	r.RosterDigest = d.Full([]byte(content.String()))
	return r
}

// emitChecked emits an event that fits its schema and the size limit; one that doesn't is the fault of its line.
func emitChecked(e *events.Event, emit Emit) error {
	if err := e.Validate(); err != nil {
		return badLine("%s: %s", e.Kind(), eventReason(err))
	}
	if err := checkSize(e); err != nil {
		return err
	}
	return emit(e)
}

// checkSize encodes an event whose parts could make it too large.
func checkSize(e *events.Event) error {
	_, err := events.AppendEvent(nil, e)
	if errors.Is(err, events.ErrTooLarge) {
		return badLine("%s of more than %d bytes", e.Kind(), events.MaxEventBytes)
	}
	if err != nil {
		return badLine("%s: %s", e.Kind(), eventReason(err))
	}
	return nil
}

// jsonReason says in a few words why a line could not be decoded, without quoting it.
func jsonReason(err error) string {
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		return fmt.Sprintf("no JSON at byte %d", syntactic.ByteOffset)
	}
	return "a member has the wrong type"
}

// recentSet remembers the last strings that were added, twice its size at most.
type recentSet struct {
	size     int
	new, old map[string]struct{}
}

func newRecentSet(size int) *recentSet { return &recentSet{size: size, new: map[string]struct{}{}} }

// add reports whether s is new.
func (r *recentSet) add(s string) bool {
	if _, ok := r.new[s]; ok {
		return false
	}
	_, known := r.old[s]
	if len(r.new) >= r.size {
		r.old, r.new = r.new, map[string]struct{}{}
	}
	r.new[s] = struct{}{}
	return !known
}
