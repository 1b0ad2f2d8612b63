package main

import (
	"cmp"
	"fmt"
	"time"

	"github.com/tooltrail/tooltrail/events"
)

const (
	systemTokens = 5200
	rosterTokens = 7400
	toolTokens   = 310
	// belowMinimum is a prompt too small for any provider to cache.
	belowMinimum = 600
	ttl5m        = 300
)

// conv is one conversation on its way: what its next request repeats, and what the provider has in its cache.
type conv struct {
	r        *recorder
	ctx      events.Context
	now      time.Time
	tools    []events.PrefixTool
	system   []string
	messages []string
	params   []events.Param
	prompt   int64 // tokens of the whole prompt
	cached   int64 // tokens that the provider holds
	breaks   bool  // a cache marker is sent
	outputs  int64
	lastAsk  int64 // the turn in which tools were last asked for; 0 where none were
	loads    map[string]*load
}

// newConv starts a conversation with the tools that are always loaded.
func (r *recorder) newConv(at time.Time, model string) *conv {
	r.convs++
	c := &conv{
		r: r, now: at, breaks: true, prompt: systemTokens + rosterTokens,
		ctx: events.Context{
			AgentName: agent, AgentVersion: versionAt(at), Environment: "production", Team: "support",
			ConversationID: fmt.Sprintf("conv-%04d", r.convs), ProviderName: providerOf(model), RequestModel: model,
		},
		system: []string{r.digest("system", versionAt(at)), r.digest("roster")},
		params: []events.Param{{Name: "thinking", Digest: r.digest("low")}, {Name: "tool_choice", Digest: r.digest("auto")}},
	}
	for _, t := range r.tools {
		if !t.deferred {
			c.tools = append(c.tools, prefixTool(t))
		}
	}
	c.say(r.between(80, 400))
	return c
}

func providerOf(model string) string {
	if model == gpt {
		return "openai"
	}
	return "anthropic"
}

// versionAt is the agent version of a day: 11, and 12 from the third week on.
func versionAt(at time.Time) string {
	if at.Sub(start) < 14*24*time.Hour {
		return "11"
	}
	return "12"
}

func prefixTool(t tool) events.PrefixTool {
	return events.PrefixTool{Name: t.name, Digest: events.Shorten(t.digests().Wire)}
}

// say appends a message of so many tokens.
func (c *conv) say(tokens int) {
	c.messages = append(c.messages, c.r.digest(c.ctx.ConversationID, len(c.messages), c.r.rng.Uint64()))
	c.prompt += int64(tokens)
}

// req is how one request differs from the usual.
type req struct {
	verdict  string        // what its making calls for
	change   string        // the kind, where tools changed
	wait     time.Duration // since the last answer; 0 is the usual few seconds
	lost     bool          // the cache does not have it
	aborted  bool
	silent   bool // the provider reports no usage
	unmarked bool // no cache marker is sent
}

// request records one request and its answer, and counts its verdict.
func (c *conv) request(q req) {
	if q.wait == 0 {
		q.wait = time.Duration(c.r.between(2, 40)) * time.Second
	}
	c.now = c.now.Add(q.wait)
	c.ctx.Turn++
	c.ctx.RequestID = fmt.Sprintf("req-%s-%d", c.ctx.ConversationID, c.ctx.Turn)
	e := &events.RequestPrefix{
		Context: c.ctx, Tools: append([]events.PrefixTool(nil), c.tools...), ToolsKnown: true,
		System: append([]string(nil), c.system...), SystemKnown: true,
		Messages: append([]string(nil), c.messages...), MessagesKnown: true, Params: c.params,
		Status: events.StatusOK, HTTPStatus: 200, FinishReason: "tool_use", StartTime: c.now,
	}
	if c.breaks && !q.unmarked {
		e.Breakpoints = []events.Breakpoint{
			{Part: "system", Index: int64(len(c.system) - 1), TTLSeconds: ttl5m},
			{Part: "messages", Index: int64(len(c.messages) - 1), TTLSeconds: ttl5m},
		}
	}
	c.usage(e, q)
	c.now = c.now.Add(time.Duration(c.r.between(900, 9000)) * time.Millisecond)
	e.EndTime = c.now
	c.r.add(e.StartTime, e)
	c.r.injected.Verdicts[q.verdict]++
	if q.change != "" {
		c.r.injected.ToolChanges[q.change]++
	}
	if !q.aborted {
		c.say(int(c.outputs))
	}
}

// usage says what the provider read from its cache and wrote to it.
func (c *conv) usage(e *events.RequestPrefix, q req) {
	c.outputs = int64(c.r.between(60, 480))
	switch {
	case q.aborted:
		e.Status, e.HTTPStatus, e.FinishReason = events.StatusAborted, 0, "aborted"
		e.UncachedInputTokens, e.CacheReadInputTokens = events.Tokens(0), events.Tokens(0)
		e.CacheWrite5mInputTokens, e.OutputTokens = events.Tokens(0), events.Tokens(0)
		return
	case q.silent:
		return
	}
	read := c.cached
	if q.lost {
		read = 0
	}
	e.OutputTokens, e.UncachedInputTokens = events.Tokens(c.outputs), events.Tokens(4)
	e.CacheReadInputTokens = events.Tokens(read)
	if c.prompt < belowMinimum {
		e.UncachedInputTokens, e.CacheReadInputTokens = events.Tokens(c.prompt), events.Tokens(0)
		e.CacheWrite5mInputTokens = events.Tokens(0)
		return
	}
	c.cached = c.prompt
	if c.ctx.ProviderName == "openai" { // which reports no writes
		e.UncachedInputTokens = events.Tokens(c.prompt - read)
		return
	}
	e.CacheWrite5mInputTokens = events.Tokens(c.prompt - read)
}

// call is one tool call to record.
type call struct {
	name       string // as the model gave it
	resolved   string
	resolution events.Resolution
	how        string
	version    string
	class      events.DriftClass
	outcome    events.Outcome
	unknown    []string
	defaulted  []string
	invalid    []events.ValidationError
	arguments  string // what makes the arguments' digest; empty is different every time
	attempt    int64
	tokens     int64
	madeUp     string
	cohort     string
	bridge     string
	server     string // where no tool of the roster was meant
}

// call records a tool call, its result as the next message, and what of it was a trouble.
func (c *conv) call(k call) {
	c.now = c.now.Add(time.Duration(c.r.between(20, 900)) * time.Millisecond)
	name := k.name
	if k.resolved != "" {
		name = k.resolved
	}
	t := c.r.byName[name]
	if k.arguments == "" {
		k.arguments = fmt.Sprint(c.r.rng.Uint64())
	}
	c.used(k.name, name)
	e := &events.ToolCall{
		Context: c.ctx, Bridge: k.bridge, ToolCallID: fmt.Sprintf("call-%s-%d", c.ctx.ConversationID, c.r.rng.Uint32()), ToolName: k.name, Server: cmp.Or(t.server, k.server),
		ResolvedName: k.resolved, Resolution: k.resolution, ResolutionHow: k.how, SchemaVersion: k.version, DriftClass: k.class,
		Outcome: k.outcome, UnknownArguments: k.unknown, DefaultedArguments: k.defaulted, ValidationErrors: k.invalid,
		ArgumentShape: shapeOf(name, k), ArgumentsDigest: c.r.digest(name, k.arguments), Attempt: max(k.attempt, 1),
		DurationSeconds: float64(c.r.between(20, 900)) / 1000,
		InputTokens:     events.Tokens(4), OutputTokens: events.Tokens(max(k.tokens, int64(c.r.between(40, 160)))),
	}
	if t.name != "" {
		e.ActiveVersion = version(t.name)
	}
	if k.cohort != "" {
		e.Cohort = k.cohort
	}
	if k.madeUp != "" {
		e.MadeUpIDs = []events.MadeUpID{{Path: "/" + noun(name) + "_id", Digest: c.r.digest(k.madeUp), Value: k.madeUp}}
		c.r.injected.Others["made_up_id"]++
		c.broke("made_up_id")
	}
	if k.outcome != events.OutcomeOK {
		e.ErrorType = "tool_error"
	}
	c.r.add(c.now, e)
	c.r.count(name, t, k)
	if k.resolution != events.ResolvedOK {
		c.broke(string(k.resolution))
	}
	c.say(c.r.between(60, 900))
}

func shapeOf(name string, k call) []events.Argument {
	if name == "create_order" {
		field := "quantity"
		if len(k.unknown) > 0 {
			field = k.unknown[0]
		}
		return []events.Argument{{Path: "/customer_id", Type: "string"}, {Path: "/" + field, Type: "integer"}}
	}
	return []events.Argument{{Path: "/" + noun(name) + "_id", Type: "string"}}
}

func (r *recorder) count(name string, t tool, k call) {
	r.injected.Outcomes[string(k.outcome)]++
	if k.resolution != events.ResolvedOK {
		r.injected.Rules[string(k.resolution)]++
	}
	if t.name == "" && k.class == "" {
		return
	}
	d := r.injected.Drift[name]
	if d == nil {
		d = &driftCount{Classes: map[string]int{}}
		r.injected.Drift[name] = d
	}
	d.Calls++
	if k.class == events.DriftCurrent || k.class == "" {
		return
	}
	d.Classes[string(k.class)]++
	if k.class != events.DriftUnregistered { // which is no drift: there is nothing to drift from
		d.Drifted++
	}
}
