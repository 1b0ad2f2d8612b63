package activation

import (
	"cmp"
	_ "embed" // for the columns
	"hash/fnv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events"
)

//go:embed settle_call_columns.sql
var settleCallColumns string

// withCallColumns puts the columns of a call into a query.
func withCallColumns(query string) string {
	return strings.ReplaceAll(query, "{columns}", strings.TrimRight(settleCallColumns, "\n"))
}

// callRow is a call that came without a resolution.
type callRow struct {
	Lane         string    `ch:"of_lane"`
	Seq          uint64    `ch:"of_seq"`
	Pos          uint32    `ch:"of_pos"`
	Stored       time.Time `ch:"stored"`
	Event        string    `ch:"event"`
	Source       string    `ch:"of_source"`
	At           time.Time `ch:"at"`
	Agent        string    `ch:"agent"`
	Version      string    `ch:"version"`
	Env          string    `ch:"env"`
	Team         string    `ch:"of_team"`
	Conversation string    `ch:"conversation"`
	Turn         int64     `ch:"of_turn"`
	Request      string    `ch:"request"`
	Provider     string    `ch:"provider"`
	Model        string    `ch:"model"`
	Tool         string    `ch:"tool"`
	Server       string    `ch:"of_server"`
	RanBy        string    `ch:"ran_by"`
	Args         string    `ch:"args"`
	InputTokens  *uint64   `ch:"t_in"`
	OutputTokens *uint64   `ch:"t_out"`
}

func (c *callRow) call() ReplayCall {
	out := ReplayCall{Moment: Moment{c.At, c.Turn, c.Request, c.Agent}, Server: c.Server, Name: c.Tool, Provider: c.RanBy == HowProvider}
	if c.Args != "" {
		out.Arguments = jsontext.Value(c.Args)
	}
	return out
}

// agent returns who sends rosters for the call's agent: an agent without a name is the source of its events.
func (c *callRow) agent() agentID { return agentID{cmp.Or(c.Agent, c.Source), c.Version, c.Env} }

func (c *callRow) lookedUp(known bool, now time.Time) events.LookedUpCall {
	return events.LookedUpCall{
		Lane: c.Lane, Seq: c.Seq, Pos: c.Pos, JudgedAt: now, Time: c.At, IngestedAt: c.Stored,
		AgentName: c.Agent, Environment: c.Env, Team: c.Team, Known: known,
	}
}

// judged returns the row that is kept of the call; old is what was kept before, if any was. Rows of one call stay on one day.
func (c *callRow) judged(j *Judgment, now time.Time, old storedCall, was bool) events.JudgedCall {
	t := events.ToolCall{ToolName: c.Tool, Server: c.Server}
	j.Stamp(&t)
	r := events.JudgedCall{
		ID: c.Event, Conversation: c.Conversation, JudgedAt: now, Time: c.At, IngestedAt: c.Stored, Source: c.Source,
		AgentName: c.Agent, AgentVersion: c.Version, Environment: c.Env, Team: c.Team, ProviderName: c.Provider, RequestModel: c.Model,
		ToolName: c.Tool, Server: t.Server, ResolvedName: t.ResolvedName, Bridge: t.Bridge, BridgedName: t.BridgedName,
		Resolution: string(t.Resolution), ResolutionHow: t.ResolutionHow, InputTokens: c.InputTokens, OutputTokens: c.OutputTokens,
	}
	if was {
		r.IngestedAt = old.Stored
		if !now.After(old.Judged) {
			r.JudgedAt = old.Judged.Add(time.Microsecond)
		}
	}
	r.Content = callContent(&r)
	return r
}

// callContent is a hash of what a row says of a name.
func callContent(r *events.JudgedCall) uint64 {
	h := fnv.New64a()
	for _, s := range [...]string{r.Server, r.ResolvedName, r.Bridge, r.BridgedName, r.Resolution, r.ResolutionHow} {
		_, _ = h.Write([]byte(s))
		_, _ = h.Write([]byte{0})
	}
	return h.Sum64()
}
