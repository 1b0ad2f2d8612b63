package main

import (
	"time"

	"github.com/tooltrail/tooltrail/events"
)

// ruleCount is what broke one rule of package activation.
type ruleCount struct {
	Count         int            `json:"count"`
	Conversations int            `json:"conversations,omitempty"`
	Agents        map[string]int `json:"agents,omitempty"`
	Models        map[string]int `json:"models,omitempty"`
	in            map[string]bool
}

// rule returns the count of a rule.
func (r *recorder) rule(name string) *ruleCount {
	if r.injected.Activation[name] == nil {
		r.injected.Activation[name] = &ruleCount{Agents: map[string]int{}, Models: map[string]int{}, in: map[string]bool{}}
	}
	return r.injected.Activation[name]
}

// broke counts a rule that was broken once in a conversation.
func (r *recorder) broke(name string, in *events.Context) {
	c := r.rule(name)
	c.Count++
	c.Agents[in.AgentName]++
	c.Models[in.RequestModel]++
	c.in[in.ConversationID] = true
	c.Conversations = len(c.in)
}

func (c *conv) broke(rule string) { c.r.broke(rule, &c.ctx) }

// load is one tool loaded in one conversation.
type load struct {
	in   events.Context
	used bool
}

// loaded notes that a tool was loaded, or again.
func (c *conv) loaded(name string) {
	if c.loads[name] != nil {
		c.broke("repeated_activation")
		return
	}
	if c.loads == nil {
		c.loads = map[string]*load{}
	}
	c.loads[name] = &load{in: c.ctx}
	c.r.loads = append(c.r.loads, c.loads[name])
}

// used notes that a tool was called by its name, or by another.
func (c *conv) used(names ...string) {
	for _, n := range names {
		if l := c.loads[n]; l != nil {
			l.used = true
		}
	}
}

// closeLoads counts the loads that no call followed.
func (r *recorder) closeLoads() {
	for _, l := range r.loads {
		if !l.used {
			r.broke("never_called", &l.in)
		}
	}
}

// activate loads tools before they are called, in front of the first request or in between.
func (c *conv) activate(via events.ActivationVia, names ...string) {
	c.ask(&events.Activation{Via: via, Asked: names, Loaded: names, InputTokens: events.Tokens(4), OutputTokens: events.Tokens(60)})
}

// ask records a request to load tools.
func (c *conv) ask(e *events.Activation) {
	c.now = c.now.Add(time.Second)
	e.Context = c.ctx
	c.r.add(c.now, e)
	for _, name := range e.Loaded {
		c.loaded(name)
	}
	refused := 0
	for _, f := range e.Refused {
		if f.Reason == events.RefusedAlreadyLoaded {
			c.loaded(f.Name)
			continue
		}
		refused++
		c.broke("activation_refused")
	}
	if refused > 0 && len(e.Loaded) == 0 {
		c.broke("activation_failed")
	}
	if e.Via != events.ViaActivationTool && e.Via != events.ViaToolSearch {
		return
	}
	if c.ctx.Turn > 1 && c.lastAsk == c.ctx.Turn-1 {
		c.broke("activation_round_trips")
	}
	c.lastAsk = c.ctx.Turn
}
