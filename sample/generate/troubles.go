package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/tooltrail/tooltrail/events"
)

// troubles records one conversation or more for each trouble that the design names.
func troubles(r *recorder) {
	day := 30
	for _, trouble := range []func(*recorder, time.Time){
		ttlExpired, unattributed, toolAdded, toolRemoved, toolsReordered, toolChurns, toolSerialization, systemVolatile, paramsChanged,
		compacted, historyRewritten, modelChanged, markerLost, aborted, usageMissing, smallPrompts, clockBackwards, twoAtOnce,
		exactTwentieth, wrongNames, madeUpIDs, loops, validationStreak, retries, reloads, canary, rosterFlips,
	} {
		trouble(r, start.Add(time.Duration(day%55)*24*time.Hour+2*time.Hour))
		day++
	}
}

// warm starts a conversation and lets it run for n good requests.
func (r *recorder) warm(at time.Time, n int) *conv {
	c := r.newConv(at, sonnet)
	c.request(req{verdict: "cold_start", lost: true})
	c.more(n)
	return c
}

func (c *conv) more(n int) {
	for range n {
		c.call(ok("get_contact"))
		c.request(req{verdict: "ok"})
	}
}

func ttlExpired(r *recorder, at time.Time) {
	c := r.warm(at, 12)
	for range 4 {
		c.request(req{verdict: "ttl_expired", wait: 11 * time.Minute, lost: true})
		c.more(3)
	}
}

func unattributed(r *recorder, at time.Time) {
	c := r.warm(at, 10)
	c.request(req{verdict: "unattributed", wait: 30 * time.Second, lost: true})
	c.more(5)
}

// toolAdded loads tools without deferring them: each lands in the middle of the sorted array.
func toolAdded(r *recorder, at time.Time) {
	c := r.warm(at, 20)
	for _, name := range []string{"create_refund", "get_shipment"} {
		c.activate(events.ViaActivationTool, name)
		c.tools = append(c.tools, prefixTool(r.byName[name]))
		slices.SortFunc(c.tools, func(a, b events.PrefixTool) int { return compare(a.Name, b.Name) })
		c.prompt += toolTokens
		c.request(req{verdict: "tools_changed", change: "added", lost: true})
		c.call(ok(name))
		c.more(4)
	}
}

func compare(a, b string) int {
	if a < b {
		return -1
	}
	return 1
}

func toolRemoved(r *recorder, at time.Time) {
	c := r.warm(at, 8)
	c.tools = slices.Clone(c.tools[1:])
	c.request(req{verdict: "tools_changed", change: "removed", lost: true})
}

func toolsReordered(r *recorder, at time.Time) {
	c := r.warm(at, 8)
	c.tools = slices.Clone(c.tools)
	c.tools[0], c.tools[1] = c.tools[1], c.tools[0]
	c.request(req{verdict: "tools_changed", change: "reordered", lost: true})
}

// toolChurns flips one tool between two definitions.
func toolChurns(r *recorder, at time.Time) {
	c := r.warm(at, 6)
	first := c.tools[0]
	other := events.PrefixTool{Name: first.Name, Digest: r.digest("another description")}
	for i := range 4 {
		c.tools = slices.Clone(c.tools)
		c.tools[0] = first
		if i%2 == 0 {
			c.tools[0] = other
		}
		c.request(req{verdict: "tools_changed", change: "same_name_churn", lost: true})
	}
}

// toolSerialization sends one tool with its keys in another order: other bytes, the same definition.
func toolSerialization(r *recorder, at time.Time) {
	c := r.warm(at, 8)
	t := r.byName[c.tools[1].Name]
	raw := fmt.Appendf(nil, `{"description":%q,"inputSchema":%s,"name":%q}`, t.summary, t.schema, t.name)
	d, err := events.Digester{}.Tool(raw)
	if err != nil {
		panic(err) // the definition is this file's own
	}
	r.add(c.now, &events.ToolDefinition{
		Context: c.ctx, ToolName: t.name, Server: t.server, SchemaVersion: version(t.name),
		WireDigest: d.Wire, DefinitionDigest: d.Definition, SchemaDigest: d.Schema, Definition: raw,
	})
	c.tools = slices.Clone(c.tools)
	c.tools[1] = events.PrefixTool{Name: t.name, Digest: events.Shorten(d.Wire)}
	c.request(req{verdict: "tools_changed", change: "serialization_only", lost: true})
}

// systemVolatile has a clock in its system prompt.
func systemVolatile(r *recorder, at time.Time) {
	c := r.newConv(at, sonnet)
	c.request(req{verdict: "cold_start", lost: true})
	for i := range 12 {
		c.system = []string{r.digest("clock", i), c.system[1]}
		c.call(ok("list_message"))
		c.request(req{verdict: "system_changed", lost: true})
	}
}

func paramsChanged(r *recorder, at time.Time) {
	c := r.warm(at, 9)
	for _, level := range []string{"high", "low"} {
		c.params = []events.Param{{Name: "thinking", Digest: r.digest(level)}, c.params[1]}
		c.request(req{verdict: "params_changed", lost: true})
		c.more(3)
	}
}

// compacted replaces the history with a summary.
func compacted(r *recorder, at time.Time) {
	c := r.warm(at, 25)
	c.messages, c.prompt = []string{r.digest("summary", c.ctx.ConversationID)}, systemTokens+rosterTokens+900
	c.request(req{verdict: "compaction", lost: true})
	c.more(4)
}

func historyRewritten(r *recorder, at time.Time) {
	c := r.warm(at, 10)
	c.messages = slices.Clone(c.messages)
	c.messages[3] = r.digest("redacted")
	c.request(req{verdict: "messages_changed", lost: true})
	c.more(4)
}

func modelChanged(r *recorder, at time.Time) {
	c := r.warm(at, 9)
	c.ctx.RequestModel = "claude-opus-4-5"
	c.request(req{verdict: "model_changed", lost: true})
	c.more(3)
}

func markerLost(r *recorder, at time.Time) {
	c := r.warm(at, 9)
	c.request(req{verdict: "breakpoints_changed", lost: true, unmarked: true})
}

func aborted(r *recorder, at time.Time) {
	c := r.warm(at, 5)
	for range 3 {
		c.request(req{verdict: "no_usage", aborted: true})
		c.more(2)
	}
}

// usageMissing is a provider that says nothing of what it used: only the digests speak.
func usageMissing(r *recorder, at time.Time) {
	c := r.newConv(at, "house-model")
	c.ctx.ProviderName = "house"
	c.request(req{verdict: "cold_start", silent: true})
	for range 3 {
		c.request(req{verdict: "ok", silent: true})
	}
	r.injected.Others["usage_not_reported"] = 4
}

func smallPrompts(r *recorder, at time.Time) {
	c := r.newConv(at, sonnet)
	c.system, c.tools, c.prompt = c.system[:1], nil, 300
	c.request(req{verdict: "cold_start", lost: true})
	for range 2 {
		c.prompt = belowMinimum / 2
		c.say(40)
		c.request(req{verdict: "below_minimum", lost: true})
	}
}

// clockBackwards has a request that began, by its clock, before the answer it follows ended.
func clockBackwards(r *recorder, at time.Time) {
	c := r.warm(at, 6)
	c.request(req{verdict: "ok", wait: -3 * time.Second})
	c.now = c.now.Add(10 * time.Second)
	r.injected.Others["clock_backwards"]++
}

// twoAtOnce starts the same conversation twice before the first answer came.
func twoAtOnce(r *recorder, at time.Time) {
	c := r.newConv(at, sonnet)
	twin := *c
	twin.messages = slices.Clone(c.messages)
	c.request(req{verdict: "cold_start", lost: true, wait: time.Second})
	twin.request(req{verdict: "concurrent_cold_start", lost: true, wait: 1200 * time.Millisecond})
}

// reloads loads a tool twice and another that is never called.
func reloads(r *recorder, at time.Time) {
	c := r.warm(at, 2)
	c.activate(events.ViaToolSearch, "update_bin", "list_supplier")
	c.call(ok("update_bin"))
	c.request(req{verdict: "ok"})
	c.ask(&events.Activation{
		Via: events.ViaActivationTool, Asked: []string{"update_bin", "delete_employee", "crm"},
		Refused: []events.RefusedTool{
			{Name: "update_bin", Reason: events.RefusedAlreadyLoaded}, {Name: "delete_employee", Reason: events.RefusedNotPermitted},
			{Name: "crm", Reason: events.RefusedConnectorName},
		},
	})
	r.injected.Others["activation_refused"] = 3
	r.injected.Others["loaded_again"] = 1
	c.request(req{verdict: "ok"})
}

// rosterFlips sends the agent's roster four times in one conversation, in two orders by turns.
func rosterFlips(r *recorder, at time.Time) {
	c := r.warm(at, 3)
	swapped := slices.Clone(r.tools)
	swapped[10], swapped[11] = swapped[11], swapped[10]
	for i := range 4 {
		list := r.tools
		if i%2 == 0 {
			list = swapped
		}
		e := r.roster("", list)
		e.Context, e.Reason = c.ctx, events.RosterUnknown
		c.now = c.now.Add(time.Second)
		r.add(c.now, e)
		c.more(1)
	}
	r.injected.Others["roster_flips"] = 4
}
