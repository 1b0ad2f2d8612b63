package activation

import (
	"context"
	_ "embed" // for the queries
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/tooltrail/tooltrail/events"
)

var (
	//go:embed settle_activations.sql
	settleActivationsSQL string
	//go:embed settle_requests.sql
	settleRequestsSQL string
	//go:embed settle_rosters.sql
	settleRostersSQL string
	//go:embed settle_roster_tools.sql
	settleRosterToolsSQL string
)

// read gets what the batch's calls are judged by, but for the requests.
func (b *callBatch) read(ctx context.Context) error {
	b.replays = map[string]*Replay{}
	senders := map[string]bool{}
	for i := range b.calls {
		c := &b.calls[i]
		if b.replays[c.Conversation] == nil {
			b.replays[c.Conversation] = &Replay{}
		}
		senders[c.agent().name] = true
	}
	ids := b.conversations()
	if err := b.readActivations(ctx, ids); err != nil {
		return err
	}
	rows, err := b.s.rosterRows(ctx, ids, nil)
	if err != nil {
		return err
	}
	for i := range rows {
		b.replays[rows[i].Conversation].AddRoster(rows[i].at())
	}
	b.agents, err = b.s.agentLines(ctx, slices.Sorted(maps.Keys(senders)))
	return err
}

func (b *callBatch) readActivations(ctx context.Context, ids []string) error {
	var row struct {
		momentRow
		Via     string   `ch:"by"`
		Names   []string `ch:"names"`
		Refused []string `ch:"refused"`
		Reasons []string `ch:"reasons"`
	}
	err := b.s.q.Each(ctx, settleActivationsSQL, []any{ids}, &row, func() error {
		a := events.Activation{Via: events.ActivationVia(row.Via), Loaded: row.Names}
		for i, name := range row.Refused {
			a.Refused = append(a.Refused, events.RefusedTool{Name: name, Reason: events.RefusalReason(row.Reasons[i])})
		}
		b.replays[row.Conversation].AddActivation(row.moment(), &a)
		return ctx.Err()
	})
	if err != nil {
		return fmt.Errorf("read what was loaded: %w", err)
	}
	return nil
}

// requestRow is a request, with the hash of what it offered.
type requestRow struct {
	momentRow
	Digest string   `ch:"digest"`
	List   uint64   `ch:"list"`
	Names  []string `ch:"names"`
}

// readRequests adds the requests of some conversations, whose arrays share memory where they are the same.
func (b *callBatch) readRequests(ctx context.Context, ids []string) error {
	var row requestRow
	var all []requestRow
	lists := map[uint64][]string{}
	err := b.s.q.Each(ctx, settleRequestsSQL, []any{ids}, &row, func() error {
		if len(row.Names) > 0 {
			lists[row.List] = slices.Clone(row.Names)
		}
		kept := row
		kept.Names = nil
		all = append(all, kept)
		return ctx.Err()
	})
	if err != nil {
		return fmt.Errorf("read what requests offered: %w", err)
	}
	for i := range all {
		r := &all[i]
		b.replays[r.Conversation].AddRequest(r.moment(), lists[r.List], r.Digest)
	}
	return nil
}

// momentRow is where an event stands.
type momentRow struct {
	Conversation string    `ch:"conversation"`
	At           time.Time `ch:"at"`
	Turn         int64     `ch:"of_turn"`
	Request      string    `ch:"request"`
	Agent        string    `ch:"agent"`
}

func (r *momentRow) moment() Moment { return Moment{r.At, r.Turn, r.Request, r.Agent} }

// rosterRow is a roster that was sent.
type rosterRow struct {
	momentRow
	Sender  string `ch:"sender"`
	Version string `ch:"version"`
	Env     string `ch:"env"`
	Digest  string `ch:"digest"`
	Content uint64 `ch:"content"`
	Array   bool   `ch:"array"`

	roster *Roster
}

func (r *rosterRow) at() RosterAt {
	return RosterAt{Moment: r.moment(), Digest: r.Digest, Content: r.Content, Roster: r.roster, Array: r.Array}
}

// agentLines returns the rosters of some agents that are of no conversation.
func (s *Settler) agentLines(ctx context.Context, names []string) (map[agentID]*RosterLine, error) {
	rows, err := s.rosterRows(ctx, []string{""}, names)
	if err != nil {
		return nil, err
	}
	lines := map[agentID]*RosterLine{}
	for i := range rows {
		r := &rows[i]
		id := agentID{r.Sender, r.Version, r.Env}
		if lines[id] == nil {
			lines[id] = &RosterLine{}
		}
		lines[id].Add(r.at())
	}
	return lines, nil
}

// rosterRows reads rosters of conversations, or of agents where the one conversation is "".
func (s *Settler) rosterRows(ctx context.Context, conversations, agents []string) ([]rosterRow, error) {
	var all []rosterRow
	var row rosterRow
	if agents == nil {
		agents = []string{}
	}
	err := s.q.Each(ctx, settleRostersSQL, []any{conversations, agents}, &row, func() error {
		all = append(all, row)
		return ctx.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("read rosters: %w", err)
	}
	return all, s.index(ctx, all, conversations)
}

// index gives rosters their tools, each content once.
func (s *Settler) index(ctx context.Context, all []rosterRow, conversations []string) error {
	found, missing := map[uint64]*Roster{}, map[uint64]bool{}
	for i := range all {
		if r := s.rosters.Get(all[i].Content); r != nil {
			found[all[i].Content] = r
		} else {
			missing[all[i].Content] = true
		}
	}
	if len(missing) > 0 {
		if err := s.readTools(ctx, conversations, slices.Sorted(maps.Keys(missing)), found); err != nil {
			return err
		}
	}
	for i := range all {
		all[i].roster = found[all[i].Content]
	}
	return nil
}

func (s *Settler) readTools(ctx context.Context, conversations []string, contents []uint64, found map[uint64]*Roster) error {
	var row struct {
		Content  uint64   `ch:"content"`
		Names    []string `ch:"names"`
		Servers  []string `ch:"servers"`
		Deferred []bool   `ch:"deferred"`
		Denied   []bool   `ch:"denied"`
		Away     []string `ch:"away"`
	}
	err := s.q.Each(ctx, settleRosterToolsSQL, []any{conversations, contents}, &row, func() error {
		e := events.ToolRoster{NotConnected: slices.Clone(row.Away), Tools: make([]events.RosterTool, len(row.Names))}
		for i, name := range row.Names {
			e.Tools[i] = events.RosterTool{Name: name, Server: row.Servers[i], Deferred: row.Deferred[i], Denied: row.Denied[i]}
		}
		found[row.Content] = s.rosters.Of(row.Content, &e)
		return ctx.Err()
	})
	if err != nil {
		return fmt.Errorf("read the tools of rosters: %w", err)
	}
	return nil
}
