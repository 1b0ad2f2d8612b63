package client

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

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
	// sent are definitions, by name and wire digest.
	sent map[string]bool
	// last are the rosters in force, by conversation.
	last map[string]string
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

// define emits the definitions that were not sent before. They belong to no conversation.
func (c *Client) define(r *events.ToolRoster, l *list, definitions []jsontext.Value) {
	for i := range l.tools {
		d := &l.tools[i]
		key := d.Name + "\x00" + d.WireDigest
		if c.memory.sent[key] {
			continue
		}
		about := events.Context{AgentName: r.AgentName, AgentVersion: r.AgentVersion, Environment: r.Environment, Team: r.Team}
		if !c.emit(&events.Event{Data: &events.ToolDefinition{
			Context: about, ToolName: d.Name, Server: r.Server, Release: r.Release,
			WireDigest: d.WireDigest, DefinitionDigest: d.DefinitionDigest, SchemaDigest: d.SchemaDigest,
			Definition: bytes.Clone(definitions[l.at[i]]),
		}}) {
			return // there is no room; the next request tries again
		}
		remember(c.memory.sent, key, true)
	}
}

// refresh forgets everything once an hour.
func (m *memory) refresh(now time.Time) {
	if m.sent != nil && now.Sub(m.since) < forgetAfter {
		return
	}
	m.since, m.seed = now, maphash.MakeSeed()
	m.lists, m.tools = map[uint64]*list{}, map[string]events.RosterTool{}
	m.sent, m.last = map[string]bool{}, map[string]string{}
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
		Name: def.Name, WireDigest: all.Wire, DefinitionDigest: all.Definition, SchemaDigest: all.Schema,
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
