package prefix_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/prefix"
)

func wire(digit string) string { return strings.Repeat(digit, 32) }

// define says that a tool with a wire digest of one digit has a definition.
func define(tool, digit, definition string) *events.Event {
	return &events.Event{ID: uuid.NewString(), Source: "test", Time: noon.Add(time.Hour), Data: &events.ToolDefinition{
		ToolName: tool, WireDigest: wire(digit) + wire("0"), DefinitionDigest: strings.Repeat(definition, 64), SchemaDigest: strings.Repeat(definition, 64),
		Definition: []byte(`{"name":"` + tool + `","input_schema":{}}`),
	}}
}

// listed is what a server tells of its list to nobody's conversation.
func listed(second int, tools ...string) *events.Event {
	r := &events.ToolRoster{Server: "srv", Reason: events.RosterListChanged, RosterDigest: wire("f")}
	for _, name := range tools {
		r.Tools = append(r.Tools, events.RosterTool{Name: name})
	}
	return &events.Event{ID: uuid.NewString(), Source: "test", Time: noon.Add(time.Duration(second) * time.Second), Data: r}
}

func TestADefinitionThatComesLateIsJudgedBy(t *testing.T) {
	for name, c := range map[string]struct {
		id        string
		restarted bool
	}{"of a conversation": {"c", false}, "of none, by another settler": {"", true}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			s := prefix.NewSettler(w, w)
			w.come(request(c.id, 0, 1, 0, 50_000, wire("a")), request(c.id, 10, 3, 0, 50_000, wire("b")), request("other", 0, 1, 0, 50_000))
			if r := w.settled(s, prefix.DefaultSettings(), finding.Window{}); r.Conversations[0].Breaks[0].Tools[0].Kind != prefix.ToolSameName {
				t.Fatalf("before: %+v", r.Conversations[0].Breaks)
			}
			for _, digit := range []string{"a", "b"} {
				if c.restarted {
					s = prefix.NewSettler(w, w)
				}
				w.come(define("tool_0", digit, "d"))
				w.settled(s, prefix.DefaultSettings(), finding.Window{})
			}
			r := w.settled(s, prefix.DefaultSettings(), finding.Window{})
			if got := r.Conversations[0].Breaks[0].Tools[0].Kind; got != prefix.ToolSerialization {
				t.Errorf("after: %s", got)
			}
		})
	}
}

func TestADefinitionThatIsSaidAgainOpensNothing(t *testing.T) {
	w := newWorld(t)
	s := prefix.NewSettler(w, w)
	w.come(request("c", 0, 1, 0, 50_000, wire("a")), request("c", 10, 3, 0, 50_000, wire("b")))
	reads := func() int {
		w.read = 0
		if _, err := s.Settle(t.Context(), prefix.DefaultSettings()); err != nil {
			t.Fatal(err)
		}
		return w.read
	}
	reads()
	for i, want := range []int{2, 0, 0} {
		w.come(define("tool_0", "a", "d"), define("tool_9", "c", "d"))
		if n := reads(); n != want {
			t.Errorf("%d: %d requests read instead of %d", i, n, want)
		}
	}
	w.come(define("tool_9", "e", "d"))
	if n := reads(); n != 0 {
		t.Errorf("a tool that nobody changed: %d requests read", n)
	}
}

func TestAServersListThatComesLateIsACause(t *testing.T) {
	for name, restarted := range map[string]bool{"one settler": false, "another settler": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			s := prefix.NewSettler(w, w)
			w.come(request("c", 0, 1, 0, 50_000, "a"), request("c", 10, 3, 0, 50_000, "a", "b"), request("before", -7200, 1, 0, 50_000, "a"), request("before", -7190, 3, 0, 50_000, "a", "b"))
			w.settled(s, prefix.DefaultSettings(), finding.Window{})
			if restarted {
				s = prefix.NewSettler(w, w)
			}
			w.come(listed(5, "tool_1"))
			w.read = 0
			if _, err := s.Settle(t.Context(), prefix.DefaultSettings()); err != nil || w.read != 2 {
				t.Errorf("%d requests read, %v", w.read, err)
			}
			r := w.settled(s, prefix.DefaultSettings(), finding.Window{})
			causes := map[string]prefix.CauseKind{}
			for _, c := range r.Conversations {
				causes[c.ID] = c.Breaks[0].Cause
			}
			if causes["c"] != prefix.CauseListChange || causes["before"] != prefix.CauseNone {
				t.Errorf("causes %v", causes)
			}
		})
	}
}

func TestARosterOfAnotherConversationThatComesLateIsJudgedBy(t *testing.T) {
	w := newWorld(t)
	s := prefix.NewSettler(w, w)
	first, second := request("c", 0, 1, 0, 50_000, "a"), request("c", 10, 3, 0, 50_000, "a", "b")
	first.Data.(*events.RequestPrefix).RosterDigest, second.Data.(*events.RequestPrefix).RosterDigest = wire("1"), wire("2")
	w.come(first, second)
	w.settled(s, prefix.DefaultSettings(), finding.Window{})
	for digit, deferred := range map[string]bool{"1": true, "2": false} {
		w.come(&events.Event{ID: uuid.NewString(), Source: "test", Time: noon.Add(-time.Hour), Data: &events.ToolRoster{
			Context: events.Context{AgentName: "agent", ConversationID: "another"}, Reason: events.RosterUnknown, RosterDigest: wire(digit),
			Tools: []events.RosterTool{{Name: "tool_1", Deferred: deferred}},
		}})
	}
	r := w.settled(s, prefix.DefaultSettings(), finding.Window{})
	if got := r.Conversations[0].Breaks[0].Tools[0].Kind; got != prefix.ToolDeferFlip {
		t.Errorf("kind %s", got)
	}
}

func TestACopyThatIsStoredOnAnotherDayCountsOnce(t *testing.T) {
	w := newWorld(t)
	a, b := request("c", 0, 1, 0, 50_000), request("c", 10, 3, 0, 50_000)
	w.come(a, b)
	day := dayBefore{w}
	if _, err := prefix.NewSettler(w, day).Settle(t.Context(), prefix.DefaultSettings()); err != nil {
		t.Fatal(err)
	}
	w.come(a, b)
	set := prefix.DefaultSettings()
	set.Lookback++ // all is judged again
	r, _, err := prefix.NewSettler(w, w).Analyze(t.Context(), finding.Window{}, set)
	if err != nil || r.Requests != 2 || r.TokensLost != 50_000 {
		t.Errorf("%d requests, %d tokens, %v", r.Requests, r.TokensLost, err)
	}
}

// dayBefore keeps verdicts as if the requests had been stored a day before.
type dayBefore struct{ *world }

func (d dayBefore) SaveRequestVerdicts(ctx context.Context, rows []events.RequestVerdict) error {
	for i := range rows {
		rows[i].IngestedAt = rows[i].IngestedAt.AddDate(0, 0, -1)
	}
	return d.world.SaveRequestVerdicts(ctx, rows)
}

func TestSparseRequestsOfNoConversationAreReadOnce(t *testing.T) {
	w := newWorld(t)
	var all []*events.Event
	for i := range 150 {
		all = append(all, request("", i*660, 30, 0, 2_000, "a"))
	}
	w.come(all...)
	if _, err := prefix.NewSettler(w, w).Settle(t.Context(), prefix.DefaultSettings()); err != nil || w.read != len(all) {
		t.Errorf("%d requests read for %d, %v", w.read, len(all), err)
	}
}

func TestRequestsOfALongConversationAreNumberedOnceThoughStoredTwice(t *testing.T) {
	w := newWorld(t)
	set := prefix.DefaultSettings()
	set.MaxConversationRequests = 16
	s := prefix.NewSettler(w, w)
	var all []*events.Event
	for i := range 60 {
		read := int64(5_000 + 100*(i-1))
		if i == 0 || i == 57 {
			read = 0
		}
		all = append(all, request("c", 10*i, 2*i+1, read, 5_000+100*int64(i)-read))
	}
	settle := func() prefix.Report {
		r, _, err := s.Analyze(t.Context(), finding.Window{}, set)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	w.come(all[:50]...)
	w.come(all[:50]...)
	settle()
	w.come(all[50:55]...)
	settle()
	w.come(all[55:]...)
	w.come(all[55:]...)
	if r := settle(); r.Requests != 60 || len(r.Conversations[0].Breaks) != 1 || r.Conversations[0].Breaks[0].Request != 58 {
		t.Errorf("%d requests, breaks %+v", r.Requests, r.Conversations[0].Breaks)
	}
}

func TestTheFirstNoteIsOfAllLanes(t *testing.T) {
	w := newWorld(t)
	w.come(request("c", 0, 1, 0, 50_000), define("tool_0", "a", "d"), listed(5, "tool_1"))
	w.come(&events.Event{ID: uuid.NewString(), Source: "test", Time: noon, Data: &events.Activation{
		Context: events.Context{ConversationID: "c"}, Via: "activation_tool", Asked: []string{"x"}, Loaded: []string{"x"},
	}})
	if _, err := prefix.NewSettler(w, w).Settle(t.Context(), prefix.DefaultSettings()); err != nil {
		t.Fatal(err)
	}
	if n := w.count("SELECT count() AS n FROM detector_progress FINAL"); n != 4 {
		t.Errorf("%d lanes are noted", n)
	}
}
