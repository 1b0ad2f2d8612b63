package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/tooltrail/tooltrail/events"
)

// releaser is the second agent: few tools, most of them to be loaded on demand, and each trouble with names and loads that the first one does not
// have. It reports no requests.
const releaser = "release-bot"

// releaseTools is its roster. The server deploy has no approve_release, which is not permitted; rollback_release goes after four weeks.
func releaseTools() []tool {
	var all []tool
	for _, t := range []struct {
		server, name     string
		deferred, denied bool
	}{
		{"", "web_search", false, false}, {"", "call_tool", false, false},
		{"code", "getBranch", true, false}, {"code", "get_branch", true, false}, {"code", "merge_review", true, false}, {"code", "open_review", true, false},
		{"deploy", "approve_release", true, true}, {"deploy", "get_release", true, false}, {"deploy", "list_release", true, false},
		{"deploy", "rollback_release", true, false}, {"deploy", "start_release", true, false},
	} {
		made := makeTool(t.server, t.name)
		made.deferred, made.denied = t.deferred, t.denied
		all = append(all, made)
	}
	return all
}

// releases records the second agent's rosters and its conversations.
func releases(r *recorder) {
	tools := releaseTools()
	for _, t := range tools {
		r.byName[t.name] = t
		d := t.digests()
		r.add(start, &events.ToolDefinition{
			Context: events.Context{AgentName: releaser}, ToolName: t.name, Server: t.server, SchemaVersion: version(t.name),
			WireDigest: d.Wire, DefinitionDigest: d.Definition, SchemaDigest: d.Schema, Definition: t.definition(),
		})
	}
	r.releaseRoster(0, "", tools)
	r.releaseRoster(0, "deploy", slices.DeleteFunc(slices.Clone(tools), func(t tool) bool { return t.server != "deploy" || t.denied }))
	r.releaseRoster(28, "", slices.DeleteFunc(slices.Clone(tools), func(t tool) bool { return t.name == "rollback_release" }))
	r.rule("name_collision").Count = 1
	idle := r.rule("permission_matches_nothing")
	idle.Count, idle.Agents[releaser] = 1, 1
	for i, errand := range []func(*conv){
		guessesInALoop, callsTooEarly, asksInARow, asksForConnectors, loadsAgain, callsThroughABridge, callsWhatIsGone, inventsARelease, callsByOtherNames,
	} {
		errand(r.newErrand(start.Add(time.Duration(i*6)*24*time.Hour + 5*time.Hour)))
	}
}

func (r *recorder) releaseRoster(day int, server string, tools []tool) {
	e := r.roster(server, tools)
	e.Context, e.NotConnected = events.Context{AgentName: releaser, AgentVersion: "3"}, nil
	if server == "" {
		e.NotConnected = []string{"chat"}
	}
	r.add(start.Add(time.Duration(day)*24*time.Hour+time.Minute), e)
}

// newErrand starts a conversation of the second agent.
func (r *recorder) newErrand(at time.Time) *conv {
	r.convs++
	return &conv{r: r, now: at, ctx: events.Context{
		AgentName: releaser, AgentVersion: "3", Environment: "production", Team: "platform",
		ConversationID: fmt.Sprintf("release-%04d", r.convs), ProviderName: providerOf(sonnet), RequestModel: sonnet, Turn: 1,
	}}
}

// next goes on to the model's next message.
func (c *conv) next() {
	c.ctx.Turn++
	c.now = c.now.Add(20 * time.Second)
}

// wrong is a call that was refused for its name.
func wrong(name, resolved string, r events.Resolution, how string) call {
	return call{name: name, resolved: resolved, resolution: r, how: how, outcome: events.OutcomeRefused}
}

// guessesInALoop calls a tool three times by a name in another case, with the same arguments.
func guessesInALoop(c *conv) {
	for range 3 {
		k := wrong("WebSearch", "web_search", events.ResolvedGuessed, "case")
		k.arguments = "the same words"
		c.call(k)
		c.next()
	}
	c.broke("loop")
	c.call(ok("web_search"))
}

// callsTooEarly calls a tool, loads it, and calls it again.
func callsTooEarly(c *conv) {
	c.call(wrong("start_release", "", events.ResolvedNotActivated, ""))
	c.next()
	c.activate(events.ViaActivationTool, "start_release", "get_release")
	c.next()
	c.call(ok("get_release"))
	c.call(ok("start_release"))
}

// asksInARow loads three tools in three messages, one of which it never calls.
func asksInARow(c *conv) {
	c.activate(events.ViaActivationTool, "list_release")
	c.next()
	c.activate(events.ViaActivationTool, "get_release")
	c.next()
	c.activate(events.ViaToolSearch, "open_review")
	c.next()
	c.call(ok("list_release"))
	c.call(ok("get_release"))
}

// asksForConnectors asks for a connector, for one misspelt, and calls one.
func asksForConnectors(c *conv) {
	for _, f := range []events.RefusedTool{{Name: "Deploy", Reason: events.RefusedConnectorName}, {Name: "deplyo", Reason: events.RefusedUnknown}} {
		c.ask(&events.Activation{
			Via: events.ViaActivationTool, Asked: []string{f.Name}, Refused: []events.RefusedTool{f},
			InputTokens: events.Tokens(4), OutputTokens: events.Tokens(30),
		})
		c.next()
		c.call(ok("web_search"))
		c.next()
	}
	k := wrong("deploy", "", events.ResolvedConnectorName, "")
	k.server = "deploy"
	c.call(k)
}

// loadsAgain loads a tool that is loaded.
func loadsAgain(c *conv) {
	c.activate(events.ViaActivationTool, "merge_review")
	c.next()
	c.call(ok("merge_review"))
	c.next()
	c.ask(&events.Activation{
		Via: events.ViaActivationTool, Asked: []string{"merge_review"},
		Refused:     []events.RefusedTool{{Name: "merge_review", Reason: events.RefusedAlreadyLoaded}},
		InputTokens: events.Tokens(4), OutputTokens: events.Tokens(30),
	})
}

// callsThroughABridge calls a tool by the agent's bridge.
func callsThroughABridge(c *conv) {
	c.activate(events.ViaMention, "get_branch")
	k := ok("call_tool")
	k.resolved, k.bridge = "get_branch", "call_tool"
	c.call(k)
}

// callsWhatIsGone calls a tool twice after its removal.
func callsWhatIsGone(c *conv) {
	for range 2 {
		c.call(wrong("rollback_release", "", events.ResolvedUnknown, "removed"))
		c.broke("called_after_removal")
		c.next()
	}
}

// inventsARelease asks for a release by an id that nothing gave it.
func inventsARelease(c *conv) {
	c.activate(events.ViaRestore, "get_release")
	k := ok("get_release")
	k.outcome, k.madeUp = events.OutcomeExecutionError, "release_7315508"
	c.call(k)
}

// callsByOtherNames calls tools that are away, not permitted, or named a little otherwise.
func callsByOtherNames(c *conv) {
	away := wrong("mcp__chat__post_message", "post_message", events.ResolvedNotConnected, "")
	away.server = "chat"
	for _, k := range []call{
		away,
		wrong("approve_release", "", events.ResolvedNotPermitted, ""),
		wrong("deploy_start_release", "start_release", events.ResolvedPrefixRepair, "added_prefix"),
		wrong("get_releases", "get_release", events.ResolvedGuessed, "near"),
		wrong("send_pigeon", "", events.ResolvedUnknown, ""),
	} {
		c.call(k)
		c.next()
	}
}
