package prefix_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/prefix"
	"github.com/tooltrail/tooltrail/store/storetest"
)

// sentBy is who sends a request or roster of a test, after how many seconds.
type sentBy struct {
	conversation, agent, version, model string
	second                              int
}

func (s sentBy) context() events.Context {
	return events.Context{
		ConversationID: s.conversation, AgentName: s.agent, AgentVersion: s.version, ProviderName: "anthropic", RequestModel: s.model,
	}
}

func (s sentBy) event(data events.Data) *events.Event {
	return &events.Event{Source: "test", Time: rosterStart.Add(time.Duration(s.second) * time.Second), Data: data}
}

// asks is a request with tools as name:digest and some messages, of which the prompt before them is read again.
func (s sentBy) asks(tools string, messages int) *events.Event {
	p := &events.RequestPrefix{Context: s.context(), ToolsKnown: true, SystemKnown: true, MessagesKnown: true, Status: events.StatusOK}
	p.StartTime = rosterStart.Add(time.Duration(s.second) * time.Second)
	p.EndTime = p.StartTime.Add(time.Second)
	short := func(text string) string { return events.Digester{}.Short([]byte(text)) }
	for _, t := range strings.Fields(tools) {
		name, digest, _ := strings.Cut(t, ":")
		p.Tools = append(p.Tools, events.PrefixTool{Name: name, Digest: short(digest)})
	}
	var m prefix.Messages
	for i := range messages {
		m.Append(short(fmt.Sprint(s.conversation, s.agent, i)))
	}
	p.Messages = m.List()
	p.UncachedInputTokens, p.OutputTokens = events.Tokens(3), events.Tokens(10)
	p.CacheReadInputTokens, p.CacheWrite5mInputTokens = events.Tokens(0), events.Tokens(50_000)
	return s.event(p)
}

// lists is a roster with a digest, for a reason, with the names of some tools.
func (s sentBy) lists(digest string, reason events.RosterReason, tools ...string) *events.Event {
	full := func(text string) string { return events.Digester{}.Full([]byte(text)) }
	r := &events.ToolRoster{Context: s.context(), Reason: reason, RosterDigest: full(digest)}
	for _, name := range tools {
		r.Tools = append(r.Tools, events.RosterTool{Name: name, WireDigest: full(name), DefinitionDigest: full(name), SchemaDigest: full(name)})
	}
	if len(tools) == 0 {
		r.TextDigest, r.TextLength = full("text of "+digest), 1
	}
	return s.event(r)
}

// watched is what is reported of events: rosters that flap, texts that changed, and arrays.
func watched(t *testing.T, all ...*events.Event) []string {
	t.Helper()
	for i, e := range all {
		e.ID = fmt.Sprintf("018f0000-0000-7000-8000-%012d", i+1)
	}
	db := openStore(t)
	storetest.Insert(t, db, all)
	r, found, err := prefix.NewSettler(db, db).Analyze(t.Context(), finding.Window{}, prefix.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range r.Rosters {
		got = append(got, fmt.Sprintf("flapping %s%s %s: %d changes of %d", x.Conversation, x.Agent, x.Version, x.Changes, x.Values))
	}
	for _, x := range r.RosterChanges {
		got = append(got, fmt.Sprintf("text of %s%s %s", x.Conversation, x.Agent, x.Version))
	}
	for _, x := range r.ToolArrays {
		got = append(got, fmt.Sprintf("%s %s by %q, legal %t", x.Agent, x.Kind, x.Cause, x.Legal))
	}
	for _, x := range found {
		if slices.Contains([]string{prefix.RuleFlappingRoster, prefix.RuleRosterChanged, prefix.RuleToolsArrayChanged}, x.Rule) {
			got = append(got, "finding "+x.Rule)
		}
	}
	return got
}

func at(second int, change ...func(*sentBy)) sentBy {
	s := sentBy{conversation: "c", agent: "a", version: "1", model: "claude-sonnet-4-5", second: second}
	for _, f := range change {
		f(&s)
	}
	return s
}

func outside(s *sentBy)  { s.conversation = "" }
func version2(s *sentBy) { s.version = "2" }
func agentB(s *sentBy)   { s.agent = "b" }
func opus(s *sentBy)     { s.model = "claude-opus-4-5" }

func TestRostersAreComparedWithinAConversationAnAgentAndAVersion(t *testing.T) {
	for name, c := range map[string]struct {
		all  []*events.Event
		want []string
	}{
		"a permission given and taken": {[]*events.Event{at(0).lists("x", ""), at(1).lists("y", events.RosterPermission), at(2).lists("x", events.RosterPermission)}, nil},
		"a deploy taken back":          {[]*events.Event{at(0).lists("x", ""), at(1, version2).lists("y", events.RosterDeploy), at(2).lists("x", events.RosterDeploy)}, nil},
		"two versions side by side":    {[]*events.Event{at(0, outside).lists("x", ""), at(1, outside, version2).lists("y", ""), at(2, outside).lists("x", ""), at(3, outside, version2).lists("y", "")}, nil},
		"two in one conversation":      {[]*events.Event{at(0).lists("x", ""), at(1, version2).lists("y", ""), at(2).lists("x", ""), at(3, version2).lists("y", "")}, nil},
		"two agents with one id":       {[]*events.Event{at(0).lists("x", ""), at(1, agentB).lists("y", ""), at(2).lists("x", ""), at(3, agentB).lists("y", "")}, nil},
		"for no reason": {[]*events.Event{at(0).lists("x", ""), at(1).lists("y", ""), at(2).lists("x", events.RosterUnknown)},
			[]string{"flapping ca 1: 2 changes of 2", "text of ca 1", "text of ca 1", "finding " + prefix.RuleFlappingRoster, "finding " + prefix.RuleRosterChanged}},
	} {
		t.Run(name, func(t *testing.T) {
			got := watched(t, c.all...)
			slices.Sort(got)
			slices.Sort(c.want)
			if d := gocmp.Diff(c.want, got); d != "" {
				t.Errorf("found (-want +got):\n%s", d)
			}
		})
	}
}

func TestArraysAreComparedWithinAConversationAndAnAgent(t *testing.T) {
	const against = "finding " + prefix.RuleToolsArrayChanged
	for name, c := range map[string]struct {
		all  []*events.Event
		want []string
	}{
		"a permission beside another definition": {[]*events.Event{
			at(0).asks("A:1 B:2", 1), at(5).lists("z", events.RosterPermission, "A", "B", "C"), at(10).asks("A:9 B:2 C:3", 3)},
			[]string{`a replaced by "permission", legal false`, against}},
		"a permission alone": {[]*events.Event{
			at(0).asks("A:1 B:2", 1), at(5).lists("z", events.RosterPermission, "A"), at(10).asks("A:1", 3)},
			[]string{`a shrunk by "permission", legal true`}},
		"fewer tools for another model":  {[]*events.Event{at(0).asks("A:1 B:2", 1), at(10, opus).asks("A:1", 3)}, []string{`a shrunk by "", legal false`, against}},
		"another form for another model": {[]*events.Event{at(0).asks("A:1 B:2", 1), at(10, opus).asks("A:8 B:9", 3)}, []string{`a replaced by "", legal true`}},
		"two agents with one id": {[]*events.Event{
			at(0).asks("A:1 B:2", 1), at(10, agentB).asks("A:1", 1), at(20).asks("A:1 B:2", 3), at(30, agentB).asks("A:1", 3)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if d := gocmp.Diff(c.want, watched(t, c.all...)); d != "" {
				t.Errorf("found (-want +got):\n%s", d)
			}
		})
	}
}
