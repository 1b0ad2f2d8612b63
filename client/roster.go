package client

import (
	"bytes"
	"cmp"
	"fmt"
	"hash/maphash"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/events"
)

const (
	// forgetAfter is when definitions and rosters are sent again though nothing changed, in case they were lost on the way.
	forgetAfter = time.Hour
	// maxRemembered bounds what is remembered of each kind.
	maxRemembered = 8192
)

// memory remembers what was sent and digested. The zero memory is empty.
type memory struct {
	mu    sync.Mutex
	since time.Time
	seed  maphash.Seed
	// lists are whole lists of definitions, by a hash of their bytes.
	lists map[uint64]*list
	// tools are tools by wire digest; only what is not there is canonicalised.
	tools map[string]events.RosterTool
	// sent are definitions, by server, name and wire digest.
	sent map[string]bool
	// last are the rosters in force, by conversation; shown those that a text tells of, see [Client.ShowRoster].
	last, shown map[string]string
	// texts are rosters as they are shown.
	texts map[textKey]*shownRoster
}

// textKey is what a roster's text is made of.
type textKey struct {
	roster  *activation.Roster
	options activation.TextOptions
}

// shownRoster is a roster as a model sees it: its text, its event and its definitions.
type shownRoster struct {
	text        string
	event       events.ToolRoster
	definitions []shownTool
}

// shownTool is a tool of a shown roster whose definition can be told of.
type shownTool struct {
	told       events.RosterTool
	definition jsontext.Value
}

// list is a list of tools as a roster says it.
type list struct {
	digest string
	tools  []events.RosterTool
	// at has the place of each tool among the definitions.
	at []int
}

// Roster emits a roster of tool definitions as they are sent to the model, in any API's form, when it is not the conversation's
// last one, and every definition that was not sent before. It fills in the roster's Tools and RosterDigest, returns the digest,
// and leaves out what is no definition. The reason is [events.RosterUnknown] where r has none. The definitions may be used again afterwards. A client that was not started returns "".
func (c *Client) Roster(r events.ToolRoster, definitions ...jsontext.Value) string {
	if c == nil || c.s == nil {
		return ""
	}
	m := &c.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refresh(time.Now())
	r.Server = activation.EventName(r.Server)
	l := m.list(c.cfg.Digester, r.Server, definitions)
	c.define(&r, l, definitions)
	conversation := r.ConversationID // r belongs to the client once it is emitted
	if m.last[conversation] == l.digest {
		return l.digest
	}
	r.Tools, r.RosterDigest = l.tools, l.digest // shared, and never changed
	if r.Reason == "" {
		r.Reason = events.RosterUnknown
	}
	if c.emit(&events.Event{Data: &r}) {
		remember(m.last, conversation, l.digest)
	}
	return l.digest
}

// ShowRoster writes a roster's text for a model (see [activation.Roster.Text]) and tells of it: it emits the roster as the text shows it, with what is
// deferred, denied, not connected and cut, when it is not what the conversation was last shown, and every definition that was not
// sent before. Of about it takes the context, the release and the reason, [events.RosterUnknown] where it has none. It
// returns the text, also on a client that was not started. Call it once a conversation and again when another roster comes into force; agents that
// share a roster share the work. The roster of a request's tools array, which [Client.RequestStart] sends, stands beside it.
func (c *Client) ShowRoster(about events.ToolRoster, r *activation.Roster, o activation.TextOptions) string {
	if c == nil || c.s == nil {
		return r.Text(o)
	}
	m := &c.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refresh(time.Now())
	shown := m.text(c.cfg.Digester, r, o)
	if m.shown[about.ConversationID] == shown.event.RosterDigest {
		return shown.text
	}
	c.defineShown(&about, shown)
	e := shown.event
	e.Context, e.Release = about.Context, about.Release
	e.Reason = cmp.Or(about.Reason, events.RosterUnknown)
	if c.emit(&events.Event{Data: &e}) {
		remember(m.shown, about.ConversationID, shown.event.RosterDigest)
	}
	return shown.text
}

// maxTexts bounds how many rosters are remembered as they are shown: each holds its tools.
const maxTexts = 64

// text returns a roster as it is shown.
func (m *memory) text(d events.Digester, r *activation.Roster, o activation.TextOptions) *shownRoster {
	key := textKey{r, o}
	if s, ok := m.texts[key]; ok {
		return s
	}
	if len(m.texts) >= maxTexts {
		clear(m.texts)
	}
	s := &shownRoster{text: r.Text(o), event: r.Event(d, events.ToolRoster{}, o)}
	for _, t := range r.Definitions() {
		told, err := m.tool(d, t.Definition)
		if err != nil {
			continue
		}
		told.Name, told.Server = activation.EventName(t.Name), activation.EventName(t.Server)
		s.definitions = append(s.definitions, shownTool{told, t.Definition})
	}
	m.texts[key] = s
	return s
}

// defineShown emits the definitions of a roster that were not sent before.
func (c *Client) defineShown(about *events.ToolRoster, shown *shownRoster) {
	for i := range shown.definitions {
		if t := &shown.definitions[i]; !c.defineOnce(about, &t.told, t.told.Server, t.definition) {
			return
		}
	}
}

// define emits the definitions that were not sent before. They belong to no conversation.
func (c *Client) define(r *events.ToolRoster, l *list, definitions []jsontext.Value) {
	for i := range l.tools {
		if !c.defineOnce(r, &l.tools[i], r.Server, definitions[l.at[i]]) {
			return // there is no room; the next request tries again
		}
	}
}

// defineOnce emits a definition unless it was sent before. It reports false where there is no room.
func (c *Client) defineOnce(r *events.ToolRoster, d *events.RosterTool, server string, definition jsontext.Value) bool {
	key := server + "\x00" + d.Name + "\x00" + d.WireDigest
	if c.memory.sent[key] {
		return true
	}
	about := events.Context{AgentName: r.AgentName, AgentVersion: r.AgentVersion, Environment: r.Environment, Team: r.Team}
	if !c.emit(&events.Event{Data: &events.ToolDefinition{
		Context: about, ToolName: d.Name, Server: server, Release: r.Release,
		WireDigest: d.WireDigest, DefinitionDigest: d.DefinitionDigest, SchemaDigest: d.SchemaDigest,
		Definition: bytes.Clone(definition),
	}}) {
		return false
	}
	remember(c.memory.sent, key, true)
	return true
}

// refresh forgets everything once an hour.
func (m *memory) refresh(now time.Time) {
	if m.sent != nil && now.Sub(m.since) < forgetAfter {
		return
	}
	m.since, m.seed = now, maphash.MakeSeed()
	m.lists, m.tools = map[uint64]*list{}, map[string]events.RosterTool{}
	m.sent, m.last, m.shown = map[string]bool{}, map[string]string{}, map[string]string{}
	m.texts = map[textKey]*shownRoster{}
}

// list returns the list of some definitions.
func (m *memory) list(d events.Digester, server string, definitions []jsontext.Value) *list {
	var h maphash.Hash
	h.SetSeed(m.seed)
	_, _ = h.WriteString(server)
	for _, raw := range definitions {
		_ = h.WriteByte('\n')
		_, _ = h.Write(raw)
	}
	key := h.Sum64()
	if l, ok := m.lists[key]; ok {
		return l
	}
	l := &list{}
	var content bytes.Buffer
	for i, raw := range definitions {
		t, err := m.tool(d, raw)
		if err != nil {
			continue
		}
		t.Server = server
		l.tools, l.at = append(l.tools, t), append(l.at, i)
		fmt.Fprintf(&content, "%s\x00%s\x00%s\x00%t\x00", t.Server, t.Name, t.WireDigest, t.Deferred)
	}
	l.digest = d.Full(content.Bytes())
	remember(m.lists, key, l)
	return l
}

// tool digests a definition, and canonicalises it only where its wire digest is new.
func (m *memory) tool(d events.Digester, raw []byte) (events.RosterTool, error) {
	wire, err := d.Wire(raw)
	if err != nil {
		return events.RosterTool{}, err
	}
	if t, ok := m.tools[wire]; ok {
		return t, nil
	}
	def, err := events.ParseTool(raw)
	if err != nil {
		return events.RosterTool{}, err
	}
	all, err := d.Tool(raw)
	if err != nil {
		return events.RosterTool{}, err
	}
	t := events.RosterTool{
		Name: activation.EventName(def.Name), WireDigest: all.Wire, DefinitionDigest: all.Definition, SchemaDigest: all.Schema,
		Deferred: def.Deferred, SummaryLength: int64(utf8.RuneCountInString(def.Description)),
	}
	remember(m.tools, wire, t)
	return t, nil
}

// remember puts a value into a map that is emptied when it gets too large.
func remember[K comparable, V any](m map[K]V, key K, v V) {
	if len(m) >= maxRemembered {
		clear(m)
	}
	m[key] = v
}
