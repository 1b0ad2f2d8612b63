package activation

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/tooltrail/tooltrail/events"
)

// Event returns the roster as an event that tells of it as a model sees it: every name once, by server and name as in [Roster.Text], with
// what is deferred and denied, how long each description is on one line (in characters) and whether the text cuts it, the servers that are not
// connected (the first 1,000), and the digest and the length in bytes of the text by these options. The context, the release and the reason are those of about; the reason
// is [events.RosterUnknown] where it has none. A tool without a usable definition has the digests of no bytes. The client's ShowRoster also sends it.
func (r *Roster) Event(d events.Digester, about events.ToolRoster, o TextOptions) events.ToolRoster {
	o = r.textOptions(o)
	text := r.Text(o)
	e := about
	e.Reason = cmp.Or(about.Reason, events.RosterUnknown)
	e.NotConnected = eventNames(slices.Sorted(maps.Keys(r.away)))
	e.TextDigest, e.TextLength = d.Full([]byte(text)), int64(len(text))
	e.Tools = nil
	var content bytes.Buffer
	fmt.Fprintf(&content, "%s\x00%q\x00", e.TextDigest, e.NotConnected)
	for _, t := range r.everyName() {
		e.Tools = append(e.Tools, t.event(d, o.SummaryLimit))
		last := &e.Tools[len(e.Tools)-1]
		fmt.Fprintf(&content, "%s\x00%s\x00%s\x00%t\x00%t\x00", last.Server, last.Name, last.WireDigest, last.Deferred, last.Denied)
	}
	e.RosterDigest = d.Full(content.Bytes())
	return e
}

// Definitions returns the definitions of the roster's tools, each name once, in the order of [Roster.Event]'s tools, with their servers. The
// caller does not change them.
func (r *Roster) Definitions() []Tool {
	var all []Tool
	for _, t := range r.everyName() {
		if t.definition != nil && t.wrong == nil && t.name != "" {
			all = append(all, Tool{Name: t.name, Server: t.server, Deferred: t.deferred, Denied: t.denied, Definition: t.definition})
		}
	}
	return all
}

// knownEntry is a tool that is in the roster, offered or not.
type knownEntry struct {
	*entry
	denied bool
}

// everyName lists all tools that have a name, also those that are denied or whose server is not connected: each name once, by server and name.
func (r *Roster) everyName() []knownEntry {
	offered := r.book().find
	rest, denied := &book{find: map[string]*entry{}}, map[string]bool{}
	for i := range r.tools {
		t := &r.tools[i]
		denied[t.Name] = denied[t.Name] || t.Denied
		if _, ok := offered[t.Name]; !ok && t.Name != "" {
			rest.add(newEntry(t))
		}
	}
	var all []knownEntry
	for _, found := range []map[string]*entry{offered, rest.find} {
		for name, e := range found {
			if name != "" {
				all = append(all, knownEntry{e, denied[name]})
			}
		}
	}
	slices.SortFunc(all, func(a, b knownEntry) int { return cmp.Or(cmp.Compare(a.server, b.server), cmp.Compare(a.name, b.name)) })
	return all
}

// event returns the tool as events say it.
func (e *knownEntry) event(d events.Digester, limit int) events.RosterTool {
	t := events.RosterTool{Name: eventName(e.name), Server: eventName(e.server), Deferred: e.deferred, Denied: e.denied}
	t.WireDigest, t.DefinitionDigest, t.SchemaDigest = d.Full(nil), d.Full(nil), d.Full(nil)
	if digests, err := d.Tool(e.definition); err == nil && e.definition != nil {
		t.WireDigest, t.DefinitionDigest, t.SchemaDigest = digests.Wire, digests.Definition, digests.Schema
	}
	t.SummaryLength = int64(utf8.RuneCountInString(cleanText(e.description)))
	_, lost := CutText(e.description, limit)
	t.SummaryCut = lost != ""
	return t
}
