package capture

import (
	"cmp"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
)

// chatTools are the tools that conversations had.
type chatTools struct {
	known    []knownTool
	roster   *events.ToolRoster
	index    *activation.Roster
	prefix   []events.PrefixTool
	versions map[string]*drift.Versions
	// text is what the model read of the definitions.
	text []string
}

// newChatTools reads and compiles a list of definitions. One whose schema can't be compiled is an error.
func newChatTools(d events.Digester, list []jsontext.Value) (*chatTools, error) {
	known, err := readTools(d, list)
	if err != nil {
		return nil, err
	}
	t := &chatTools{known: known, roster: rosterOf(d, known), versions: map[string]*drift.Versions{}}
	t.index = activation.RosterOf(t.roster, nil, activation.Settings{})
	for i := range known {
		k := &known[i]
		t.text = append(t.text, string(k.def.Raw))
		if !k.def.Deferred {
			t.prefix = append(t.prefix, events.PrefixTool{Name: k.def.Name, Digest: events.Shorten(k.digests.Wire)})
		}
		if k.def.ProviderRun {
			continue
		}
		schema, err := drift.Compile(k.def.Raw)
		if err != nil {
			return nil, fmt.Errorf("tool %d: %w", i, err)
		}
		t.versions[k.def.Name] = &drift.Versions{Active: drift.Version{Schema: schema}}
	}
	return t, nil
}

// classify judges a call's arguments against the tool that it means; it leaves the call as it is where nothing is known of it.
func (t *chatTools) classify(c *events.ToolCall, args jsontext.Value) {
	if t == nil {
		return
	}
	v, ok := t.versions[cmp.Or(c.ResolvedName, c.ToolName)]
	if !ok {
		return
	}
	c.ArgumentShape = v.Shape(args)
	verdict := drift.Classify(v, drift.Call{Arguments: args})
	verdict.Apply(c)
}

// sendTools sends a roster and its definitions unless they were sent.
func (r *chatReader) sendTools(t *chatTools) error {
	if t == nil {
		return nil
	}
	return sendTools(r.src, t, r.sent, chatStart(r.src), r.emit)
}

// sendTools sends a roster and its definitions, as of a time, unless they are among those that were sent.
func sendTools(src *Source, t *chatTools, sent *recentSet, at time.Time, emit Emit) error {
	if !sent.add(t.roster.RosterDigest) {
		return nil
	}
	for i := range t.known {
		d := t.known[i].definition()
		if !sent.add(d.ToolName + "\x00" + d.WireDigest) {
			continue
		}
		if err := emitChecked(src.Event(at, d, d.ToolName, d.WireDigest), emit); err != nil {
			return err
		}
	}
	roster := *t.roster
	return emitChecked(src.Event(at, &roster, roster.RosterDigest), emit)
}
