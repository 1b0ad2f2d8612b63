package ingest

import (
	"cmp"
	"container/list"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/events"
)

// ResolverConfig bounds what a [Resolver] remembers. See [DefaultResolverConfig].
type ResolverConfig struct {
	// Conversations is of how many conversations, those heard of last, rosters and loaded tools are remembered; 0 looks no names up. One
	// takes about a kilobyte, and a hundred bytes more for each name that was loaded.
	Conversations int
	// Names is how many loaded or refused names are remembered of a conversation; one that has more is forgotten, and left to the analyzer.
	Names int
	// Rosters is how many rosters in a row are remembered of a conversation, and of an agent; the oldest are forgotten first.
	Rosters int
	// RosterTools is how many tools the rosters have together that are held in memory, each content once. A tool takes about half a kilobyte.
	RosterTools int
	// Names of tools are looked up by the rules of these settings.
	Settings activation.Settings
}

// DefaultResolverConfig returns bounds that keep a resolver under about 100 MB.
func DefaultResolverConfig() ResolverConfig {
	return ResolverConfig{
		Conversations: 10_000, Names: 1000, Rosters: 16, RosterTools: 100_000, Settings: activation.DefaultSettings(),
	}
}

// Validate reports bounds that cannot work.
func (c ResolverConfig) Validate() error {
	var errs []error
	if c.Conversations < 0 {
		errs = append(errs, fmt.Errorf("remembered conversations %d are negative", c.Conversations))
	}
	if c.Names < 1 || c.Rosters < 1 || c.RosterTools < 1 {
		errs = append(errs, errors.New("remembered names, rosters and their tools must be positive"))
	}
	return errors.Join(errs...)
}

// Resolver is an [Enricher] that looks called names up where their sender did not, in the rosters and activations that passed. It stamps
// what no later activation can change: names that are right, and former names of renamed tools. A bridge's call becomes one of the tool that is
// meant. Anything else it leaves as it is: kinds travel side by side, and what explains the call may be still on its way, so the analyzer
// judges it later. So it does with all calls after a restart, since the memory is empty then, until rosters pass again.
type Resolver struct {
	cfg     ResolverConfig
	rosters *activation.RosterCache
	stamped prometheus.Counter

	mu            sync.Mutex
	conversations map[string]*list.Element // of *remembered
	order         list.List                // heard of last first
	agents        map[agentKey]*activation.RosterLine
}

// agentKey is an agent that sends rosters which are of no conversation.
type agentKey struct{ name, version, environment string }

func agentOf(e *events.Event, c *events.Context) agentKey {
	return agentKey{cmp.Or(c.AgentName, e.Source), c.AgentVersion, c.Environment}
}

// remembered is what is known of a conversation.
type remembered struct {
	id             string
	replay         activation.Replay
	rosters, names int
}

// NewResolver returns a resolver that remembers nothing yet. The counter, which may be nil, counts the calls that it stamps.
func NewResolver(cfg ResolverConfig, stamped prometheus.Counter) *Resolver {
	return &Resolver{
		cfg: cfg, rosters: activation.NewRosterCache(cfg.Settings, cfg.RosterTools), stamped: stamped,
		conversations: map[string]*list.Element{}, agents: map[agentKey]*activation.RosterLine{},
	}
}

// Enrich remembers a roster or an activation, and stamps a call.
func (r *Resolver) Enrich(e *events.Event) { _, _ = r.enrich(e) }

// enrich returns the call inside a bridge's that it unwrapped, and whether a call is one of several servers' tools, nobody knows whose.
func (r *Resolver) enrich(e *events.Event) (u activation.Unwrapped, anybodys bool) {
	if r == nil || r.cfg.Conversations == 0 {
		return u, false
	}
	switch d := e.Data.(type) {
	case *events.ToolRoster:
		r.roster(e, d)
	case *events.Activation:
		r.activation(e.Time, d)
	case *events.ToolCall:
		if d.Resolution == "" && d.ConversationID != "" {
			u = r.call(e, d)
			return u, u.Bridge == "" && d.Server == "" && !r.place(e, d)
		}
	}
	return u, false
}

// place writes into a call that names no server the one whose tool the roster in force has under its name, though it may not be loaded. It reports
// false where several have one.
func (r *Resolver) place(e *events.Event, d *events.ToolCall) bool {
	c := activation.CallOf(e.Time, d)
	r.mu.Lock()
	known, line := r.known(e, d)
	owners := known.Owners(&c, line)
	r.mu.Unlock()
	if len(owners) == 1 && owners[0].Server != "" {
		d.Server = owners[0].Server
		if owners[0].Tool != d.ToolName {
			d.ResolvedName = owners[0].Tool
		}
	}
	return len(owners) < 2
}

// roster remembers one that was in front of a model; a server's own list is none.
func (r *Resolver) roster(e *events.Event, d *events.ToolRoster) {
	if d.Server != "" {
		return
	}
	content := activation.RosterContent(d)
	at := activation.RosterAt{
		Moment: activation.MomentOf(e.Time, &d.Context), Digest: d.RosterDigest, Content: content, Roster: r.rosters.Of(content, d),
		Array: activation.IsArray(d),
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if d.ConversationID == "" {
		r.agentRoster(agentOf(e, &d.Context), at)
		return
	}
	c := r.conversation(d.ConversationID)
	if c.rosters++; c.rosters > r.cfg.Rosters {
		r.forget(c)
		c = r.conversation(d.ConversationID)
		c.rosters = 1
	}
	c.replay.AddRoster(at)
}

func (r *Resolver) agentRoster(k agentKey, at activation.RosterAt) {
	line := r.agents[k]
	if line == nil {
		if len(r.agents) >= r.cfg.Conversations {
			clear(r.agents)
		}
		line = &activation.RosterLine{}
		r.agents[k] = line
	}
	line.Add(at)
	line.Keep(r.cfg.Rosters)
}

func (r *Resolver) activation(at time.Time, d *events.Activation) {
	if d.ConversationID == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.conversation(d.ConversationID)
	if c.names += len(d.Loaded) + len(d.Refused); c.names > r.cfg.Names {
		r.forget(c)
		return
	}
	c.replay.AddActivation(activation.MomentOf(at, &d.Context), d)
}

// conversation returns what is remembered of a conversation, and lets go of the one that nothing was heard of for longest.
func (r *Resolver) conversation(id string) *remembered {
	if at, ok := r.conversations[id]; ok {
		r.order.MoveToFront(at)
		return at.Value.(*remembered)
	}
	if len(r.conversations) >= r.cfg.Conversations {
		r.forget(r.order.Back().Value.(*remembered))
	}
	c := &remembered{id: id}
	r.conversations[id] = r.order.PushFront(c)
	return c
}

func (r *Resolver) forget(c *remembered) {
	r.order.Remove(r.conversations[c.id])
	delete(r.conversations, c.id)
}

// call stamps a call whose name is right.
func (r *Resolver) call(e *events.Event, d *events.ToolCall) activation.Unwrapped {
	c := activation.CallOf(e.Time, d)
	j := r.judge(e, d, &c)
	switch j.Resolution.Resolution {
	case events.ResolvedOK, events.ResolvedRenamed:
	default:
		return activation.Unwrapped{}
	}
	j.Stamp(d)
	if r.stamped != nil {
		r.stamped.Inc()
	}
	return j.Unwrapped
}

func (r *Resolver) judge(e *events.Event, d *events.ToolCall, c *activation.ReplayCall) activation.Judgment {
	r.mu.Lock()
	defer r.mu.Unlock()
	known, line := r.known(e, d)
	return known.JudgeRight(c, line)
}

// known returns what is known of a call's conversation, and the rosters that its agent sent for none.
func (r *Resolver) known(e *events.Event, d *events.ToolCall) (*activation.Replay, *activation.RosterLine) {
	line := r.agents[agentOf(e, &d.Context)]
	at, known := r.conversations[d.ConversationID]
	if !known {
		return &activation.Replay{}, line
	}
	r.order.MoveToFront(at)
	return &at.Value.(*remembered).replay, line
}

// innerArguments are what a bridge passes on, for judging its call.
func innerArguments(u *activation.Unwrapped) jsontext.Value {
	if len(u.Arguments) == 0 {
		return jsontext.Value("{}")
	}
	return u.Arguments
}
