package prefix

import (
	"context"
	"slices"

	"github.com/tooltrail/tooltrail/events"
)

// ReadKnown reads what stored rosters and definitions say of tools, for [Settings.Known].
func ReadKnown(ctx context.Context, q Querier) (KnownTools, error) { return readKnown(ctx, q) }

// Recording gathers recorded events for [Judge] without a store: the same events give what [ReadConversation] and [ReadKnown] read of
// them. The zero Recording is empty. It is for one goroutine.
type Recording struct {
	order []string
	all   map[string]*recorded
	seen  map[string]bool
	known KnownTools
}

// Recorded is one conversation of a [Recording].
type Recorded struct {
	// ID is the conversation's id, "" for requests that have none.
	ID string
	// Requests are in the order of start.
	Requests []Observed
	// Happenings are what happened around them.
	Happenings []Happening
}

// recorded is a conversation while it is gathered.
type recorded struct {
	requests []Observed
	shared   trails
	rows     []happeningRow
}

// Add takes an event; one that was taken before, or that says nothing of requests, changes nothing.
func (r *Recording) Add(e *events.Event) {
	if r.all == nil {
		r.all, r.seen = map[string]*recorded{}, map[string]bool{}
		r.known = KnownTools{Definitions: map[string]string{}, Deferred: map[string]map[string]bool{}}
	}
	if e.ID != "" && r.seen[e.ID] {
		return
	}
	switch d := e.Data.(type) {
	case *events.RequestPrefix:
		c := r.conversation(d.ConversationID)
		o := Observed{ID: e.ID, RequestPrefix: *d}
		o.share(&c.shared)
		c.requests = append(c.requests, o)
	case *events.Activation:
		r.addActivation(e, d)
	case *events.ToolRoster:
		r.addRoster(e, d)
	case *events.ToolDefinition:
		r.know(d.WireDigest, d.DefinitionDigest)
	default:
		return
	}
	r.seen[e.ID] = true
}

func (r *Recording) conversation(id string) *recorded {
	c := r.all[id]
	if c == nil {
		c = &recorded{}
		r.all[id] = c
		r.order = append(r.order, id)
	}
	return c
}

// addActivation notes what was loaded.
func (r *Recording) addActivation(e *events.Event, a *events.Activation) {
	if len(a.Loaded) == 0 {
		return
	}
	row := happeningRow{Conversation: a.ConversationID, At: e.Time, Turn: a.Turn, Happened: string(HappenedActivation), Names: a.Loaded}
	if a.Server != "" {
		row.Servers = []string{a.Server}
	}
	r.happen(row)
}

// addRoster notes a list of tools: that of a conversation, or what a server told of its own to nobody's.
func (r *Recording) addRoster(e *events.Event, d *events.ToolRoster) {
	row := happeningRow{Conversation: d.ConversationID, At: e.Time, Turn: d.Turn, Digest: d.RosterDigest}
	for i := range d.Tools {
		t := &d.Tools[i]
		row.Names = append(row.Names, t.Name)
		r.know(t.WireDigest, t.DefinitionDigest)
		r.defers(d.RosterDigest, t)
	}
	changed := d.Reason == events.RosterListChanged || d.Reason == events.RosterPermission
	switch {
	case d.ConversationID != "":
		row.Happened, row.Servers = "roster:"+string(d.Reason), d.NotConnected
	case d.Server != "" && d.Release == "" && changed:
		row.Happened, row.Servers, row.Turn = "server:"+string(d.Reason), []string{d.Server}, 0
	default:
		return
	}
	r.happen(row)
}

func (r *Recording) happen(row happeningRow) {
	c := r.conversation(row.Conversation)
	c.rows = append(c.rows, row)
}

// know notes which definition a wire digest stands for.
func (r *Recording) know(wire, definition string) {
	if wire != "" && definition != "" {
		r.known.Definitions[events.Shorten(wire)] = definition
	}
}

// defers notes whether a roster defers a tool.
func (r *Recording) defers(roster string, t *events.RosterTool) {
	if roster == "" {
		return
	}
	if r.known.Deferred[roster] == nil {
		r.known.Deferred[roster] = map[string]bool{}
	}
	r.known.Deferred[roster][t.Name] = t.Deferred
}

// Known is what the rosters and definitions among the events say of tools.
func (r *Recording) Known() KnownTools { return r.known }

// Conversations returns the conversations that have requests, in the order in which they were first seen. Requests without a
// conversation's id come in groups of at most maxGroup, as [Settings.MaxGroup] has it.
func (r *Recording) Conversations(maxGroup int) []Recorded {
	var told []Happening // what servers told to nobody's conversation
	if c := r.all[""]; c != nil {
		told = c.happenings()
	}
	var all []Recorded
	for _, id := range r.order {
		c := r.all[id]
		slices.SortStableFunc(c.requests, func(a, b Observed) int { return byStart(&a, &b) })
		if id == "" {
			for group := range slices.Chunk(c.requests, max(maxGroup, 1)) {
				all = append(all, Recorded{Requests: group, Happenings: told})
			}
			continue
		}
		if len(c.requests) > 0 {
			all = append(all, Recorded{ID: id, Requests: c.requests, Happenings: slices.Concat(c.happenings(), told)})
		}
	}
	return all
}

// happenings turns what was noted into what it tells, in order of time.
func (c *recorded) happenings() []Happening {
	slices.SortStableFunc(c.rows, func(a, b happeningRow) int { return a.At.Compare(b.At) })
	away := map[string][]string{}
	var all []Happening
	for i := range c.rows {
		all = append(all, c.rows[i].happenings(away)...)
	}
	return all
}

// Judge judges one conversation of the recording by settings, with what the whole recording knows of tools.
func (r *Recording) Judge(c *Recorded, s Settings) []Judged {
	s.Known = r.known
	return Judge(c.Requests, s, c.Happenings...)
}
