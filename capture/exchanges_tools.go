package capture

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
)

// offeredTools is the tools of a request, prepared once for all requests that send the same bytes.
type offeredTools struct {
	key     string
	known   []knownTool
	roster  *events.ToolRoster
	index   *activation.Roster
	schemas map[string]*drift.Versions
	// text is what the model reads of the definitions.
	text []string
}

// offered returns the tools of a request.
func (r *exchangeReader) offered(raw []jsontext.Value) *offeredTools {
	h := r.src.Options.Digester.New()
	for _, v := range raw {
		_, _ = h.Write(v)
		_, _ = h.Write([]byte{'\n'})
	}
	key := string(h.Sum(nil))
	if l, ok := r.tools.get(key); ok {
		return l
	}
	l := r.newOffered(key, raw)
	_ = r.tools.put(key, l) // forgetting a list can't fail
	return l
}

// newOffered reads definitions. One that is in no known form is left out.
func (r *exchangeReader) newOffered(key string, raw []jsontext.Value) *offeredTools {
	l := &offeredTools{key: key, schemas: map[string]*drift.Versions{}}
	for _, v := range raw {
		one, err := readTools(r.src.Options.Digester, []jsontext.Value{v.Clone()})
		if err != nil {
			continue
		}
		l.known = append(l.known, one[0])
		l.text = append(l.text, string(v))
		l.compile(&one[0])
	}
	l.roster = rosterOf(r.src.Options.Digester, l.known)
	l.index = activation.RosterOf(l.roster, nil, activation.Settings{})
	return l
}

// compile prepares a tool's schema. A call of a tool whose schema can't be compiled is not judged.
func (l *offeredTools) compile(t *knownTool) {
	if t.def.ProviderRun || len(t.def.Schema) == 0 {
		return
	}
	if s, err := drift.Compile(t.def.Raw); err == nil {
		l.schemas[t.def.Name] = &drift.Versions{Active: drift.Version{Schema: s}}
	}
}

// sendTools sends the roster when it is not the conversation's last, and the definitions that were not sent before.
func (r *exchangeReader) sendTools(c *exchangeConversation, at time.Time, about events.Context) error {
	if err := r.sendDefinitions(c.tools.known, at); err != nil {
		return err
	}
	roster := *c.tools.roster
	roster.Context = about
	if len(roster.Tools) == 0 && c.rosters == 0 {
		return nil
	}
	c.rosters++
	return r.send(r.src.Event(at, &roster, roster.RosterDigest, about.RequestID, decimal(about.Turn)))
}

// sendDefinitions sends definitions, each once. They belong to no conversation.
func (r *exchangeReader) sendDefinitions(tools []knownTool, at time.Time) error {
	for i := range tools {
		d := tools[i].definition()
		if !r.sent.add(d.ToolName + "\x00" + d.WireDigest) {
			continue
		}
		if err := r.send(r.src.Event(at, d, d.ToolName, d.WireDigest)); err != nil {
			return err
		}
	}
	return nil
}

// send emits an event; one that is not valid or too large is a problem of the line, and the others go on.
func (r *exchangeReader) send(e *events.Event) error {
	return r.src.settle(emitChecked(e, r.emit))
}
