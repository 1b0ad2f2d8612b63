package activation_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/store"
	"github.com/tooltrail/tooltrail/store/storetest"
)

// world is a store that events come to one after the other.
type world struct {
	*store.DB
	t     *testing.T
	lanes *storetest.Lanes

	mu sync.Mutex
	// failAfter is how many calls to keep something succeed before all fail; negative is all. saved counts rows that were kept, and looked
	// those of calls that were looked up.
	failAfter, saved, looked int
}

func newWorld(t *testing.T) *world {
	db := openStore(t)
	return &world{DB: db, t: t, lanes: storetest.NewLanes(db), failAfter: -1}
}

// come stores events in their order, each kind in its lane.
func (w *world) come(all ...*events.Event) { w.t.Helper(); w.lanes.Insert(w.t, all...) }

var errKilled = errors.New("killed")

func (w *world) mayKeep(rows int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failAfter == 0 {
		return errKilled
	}
	w.failAfter--
	w.saved += rows
	return nil
}

func (w *world) SaveJudgedCalls(ctx context.Context, rows []events.JudgedCall) error {
	if err := w.mayKeep(len(rows)); err != nil {
		return err
	}
	return w.DB.SaveJudgedCalls(ctx, rows)
}

func (w *world) SaveLookedUpCalls(ctx context.Context, rows []events.LookedUpCall) error {
	if err := w.mayKeep(0); err != nil {
		return err
	}
	w.mu.Lock()
	w.looked += len(rows)
	w.mu.Unlock()
	return w.DB.SaveLookedUpCalls(ctx, rows)
}

// atOnce are settings by which nothing waits.
func atOnce() activation.Settings {
	s := activation.DefaultSettings()
	s.JudgeAfter = 0
	return s
}

func (w *world) settle(s *activation.Settler) {
	w.t.Helper()
	if err := s.Settle(w.t.Context(), atOnce()); err != nil {
		w.t.Fatal(err)
	}
}

// outcome is what a report says of names.
type outcome struct {
	Calls, Judged uint64
	// Rules has the calls of each rule, Names the calls of each name with its rule and how, Agents those of agents.
	Rules, Names, Agents map[string]uint64
}

func (w *world) outcome() outcome {
	w.t.Helper()
	r, _, err := activation.Analyze(w.t.Context(), w, finding.Window{}, atOnce(), nil)
	if err != nil {
		w.t.Fatal(err)
	}
	out := outcome{r.Calls, r.Judged, map[string]uint64{}, map[string]uint64{}, map[string]uint64{}}
	for name, rule := range r.Rules {
		if rule.Count > 0 && name != activation.RuleRoundTrips && name != activation.RuleNeverCalled && name != activation.RuleNameCollision {
			out.Rules[name] = rule.Count
		}
		for _, a := range rule.Agents {
			out.Agents[name+" "+a.Name] = a.Count
		}
		for _, n := range rule.Names {
			if n.How != "" || n.Meant != "" || name == string(events.ResolvedNotPermitted) {
				out.Names[name+" "+n.Called+" "+n.How+" "+n.Meant] += n.Count
			}
		}
	}
	return out
}

// event makes an event of the agent "other" at a second.
func event(at int, conversation string, turn int64, d events.Data) *events.Event {
	c := d.Common()
	c.AgentName, c.ConversationID, c.Turn = "other", conversation, turn
	return &events.Event{ID: uuid.NewString(), Source: "agent/other", Time: second(at), Data: d}
}

func bare(name, arguments string) *events.ToolCall {
	c := &events.ToolCall{ToolName: name, Outcome: events.OutcomeOK, InputTokens: events.Tokens(100)}
	if arguments != "" {
		c.Arguments = []byte(arguments)
	}
	return c
}

func listOf(tools ...activation.Tool) *events.ToolRoster {
	r := &events.ToolRoster{RosterDigest: events.Digester{}.Full(fmt.Appendf(nil, "%v", tools)), Reason: events.RosterUnknown}
	for _, t := range tools {
		full := events.Digester{}.Full([]byte(t.Name))
		r.Tools = append(r.Tools, events.RosterTool{
			Name: t.Name, Server: t.Server, Deferred: t.Deferred, Denied: t.Denied, WireDigest: full, DefinitionDigest: full, SchemaDigest: full,
		})
	}
	return r
}

// story is a conversation of an agent that looks no names up, and what is to be said of it.
func story(conversation string) []*events.Event {
	return []*events.Event{
		event(0, conversation, 1, listOf(activation.Tool{Name: "web_search"}, deferred("edit_file"), activation.Tool{Name: "secret", Denied: true})),
		event(1, conversation, 1, bare("edit_file", "")),                    // before it was loaded
		event(2, conversation, 1, loadedBy(activationTool, "edit_file")),    //
		event(3, conversation, 2, bare("edit_file", "")),                    // right
		event(4, conversation, 2, bare("WebSearch", "")),                    // guessed
		event(5, conversation, 3, bare("WebSearch", "")),                    // guessed
		event(6, conversation, 4, bare("call_tool", `{"name":"secret"}`)),   // not permitted
		event(6, conversation, 4, bare("call_tool", `{"name":"WebSerch"}`)), // guessed
		event(7, conversation, 5, &events.RequestPrefix{Tools: []events.PrefixTool{{Name: "builtin", Digest: "00112233445566778899aabbccddeeff"}}, ToolsKnown: true, StartTime: second(7), Status: events.StatusOK}),
		event(8, conversation, 5, bare("builtin", "")),                         // offered by the request
		event(9, conversation, 6, listOf(activation.Tool{Name: "web_search"})), //
		event(10, conversation, 6, bare("edit_file", "")),                      // removed
		event(11, conversation, 7, bare("call_tool", `{"name":"edit_file"}`)),  // removed
	}
}

func wantOfStories(n uint64) outcome {
	return outcome{
		Calls: 9 * n, Judged: 9 * n,
		Rules: map[string]uint64{"not_activated": n, "guessed": 3 * n, "not_permitted": n, "unknown": 2 * n, "called_after_removal": 2 * n},
		Names: map[string]uint64{
			"guessed WebSearch case web_search": 2 * n, "guessed WebSerch near web_search": n, "not_permitted secret  ": n,
			"unknown edit_file removed ": 2 * n,
		},
		Agents: map[string]uint64{
			"not_activated other": n, "guessed other": 3 * n, "not_permitted other": n, "unknown other": 2 * n, "called_after_removal other": 2 * n,
		},
	}
}
