package prefix_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/prefix"
)

func TestALateRequestChangesTheVerdictsOnThoseAfterIt(t *testing.T) {
	w := newWorld(t)
	s := prefix.NewSettler(w, w)
	w.come(request("c", 0, 1, 0, 50_000, "a"), request("c", 20, 5, 55_000, 2_000, "a", "b"))
	r := w.settled(s, prefix.DefaultSettings(), finding.Window{})
	if d := gocmp.Diff(map[prefix.Verdict]int64{prefix.ColdStart: 1, prefix.OK: 1}, verdicts(r)); d != "" || r.Risks[prefix.ToolsChanged] != 1 {
		t.Errorf("before: %s, risks %v", d, r.Risks)
	}
	w.come(request("c", 10, 3, 0, 55_000, "a", "b"))
	r = w.settled(s, prefix.DefaultSettings(), finding.Window{})
	if d := gocmp.Diff(map[prefix.Verdict]int64{prefix.ColdStart: 1, prefix.ToolsChanged: 1, prefix.OK: 1}, verdicts(r)); d != "" || len(r.Risks) != 0 {
		t.Errorf("after: %s, risks %v", d, r.Risks)
	}
	if r.TokensLost != 50_000 || r.Requests != 3 || r.Conversations[0].Breaks[0].Request != 2 {
		t.Errorf("report %+v", r)
	}
}

func TestARequestThatIsStoredTwiceCountsOnce(t *testing.T) {
	w := newWorld(t)
	s := prefix.NewSettler(w, w)
	first, second := request("c", 0, 1, 0, 50_000), request("c", 10, 3, 0, 50_000)
	w.come(first, second)
	if _, err := s.Settle(t.Context(), prefix.DefaultSettings()); err != nil {
		t.Fatal(err)
	}
	w.come(second, first)
	w.come(second)
	r, _, err := s.Analyze(t.Context(), finding.Window{}, prefix.DefaultSettings())
	if err != nil || r.Requests != 2 || r.TokensLost != 50_000 || r.Conversations[0].Requests != 2 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestASettlerThatIsKilledAnywhereLosesNothing(t *testing.T) {
	all, _ := readSample(t)
	w := newWorld(t)
	set := prefix.DefaultSettings()
	for i, chunk := range slices.Collect(slices.Chunk(all, len(all)/4+1)) {
		w.come(chunk...)
		w.failAfter = i % 3
		_, err := prefix.NewSettler(w, w).Settle(t.Context(), set)
		if i%3 < 2 && !errors.Is(err, errKilled) {
			t.Fatalf("killed after %d: %v", i%3, err)
		}
	}
	w.failAfter = -1
	w.settled(prefix.NewSettler(w, w), set, finding.Window{})
}

func TestEventsInAnyOrderComeToTheSame(t *testing.T) {
	all, _ := readSample(t)
	for seed := range uint64(1) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			w := newWorld(t)
			mixed := slices.Clone(all)
			r := rand.New(rand.NewPCG(seed, 0))
			r.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
			s := prefix.NewSettler(w, w)
			for chunk := range slices.Chunk(mixed, len(mixed)/3+1) {
				w.come(chunk...)
				if _, err := s.Settle(t.Context(), prefix.DefaultSettings()); err != nil {
					t.Fatal(err)
				}
			}
			w.settled(s, prefix.DefaultSettings(), finding.Window{})
		})
	}
}

func TestTwoSettlersAtOnceKeepTheSame(t *testing.T) {
	all, _ := readSample(t)
	w := newWorld(t)
	var both [2]*prefix.Settler
	for i := range both {
		both[i] = prefix.NewSettler(w, w)
	}
	for chunk := range slices.Chunk(all, len(all)/2+1) {
		w.come(chunk...)
		var wg sync.WaitGroup
		for _, s := range both {
			wg.Go(func() {
				if _, err := s.Settle(t.Context(), prefix.DefaultSettings()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
	w.settled(both[0], prefix.DefaultSettings(), finding.Window{})
	requests := w.count("SELECT uniqExact(id) AS n FROM request_prefixes")
	if n := w.count("SELECT count() AS n FROM request_verdicts FINAL"); n != requests {
		t.Errorf("%d verdicts on %d requests", n, requests)
	}
}

func TestOnlyWhatIsNewIsJudgedAndOnlyWhatChangedIsKept(t *testing.T) {
	all, _ := readSample(t)
	w := newWorld(t)
	w.come(all...)
	set := prefix.DefaultSettings()
	s := prefix.NewSettler(w, w)
	settle := func(s *prefix.Settler, set prefix.Settings) (read, saved int) {
		t.Helper()
		w.read, w.saved = 0, 0
		if _, err := s.Settle(t.Context(), set); err != nil {
			t.Fatal(err)
		}
		return w.read, w.saved
	}
	requests := int(w.count("SELECT count() AS n FROM request_prefixes"))
	if read, saved := settle(s, set); read != requests || saved != requests {
		t.Errorf("first: %d read and %d saved of %d", read, saved, requests)
	}
	for name, again := range map[string]*prefix.Settler{"the same settler": s, "another one": prefix.NewSettler(w, w)} {
		if read, saved := settle(again, set); read != 0 || saved != 0 {
			t.Errorf("%s: %d read and %d saved, with nothing new", name, read, saved)
		}
	}
	w.come(request("new", 0, 1, 0, 50_000))
	if read, saved := settle(s, set); read != 1 || saved != 1 {
		t.Errorf("one more: %d read and %d saved", read, saved)
	}
	w.come(&events.Event{ID: uuid.NewString(), Source: "test", Time: noon, Data: &events.Activation{
		Context: events.Context{ConversationID: "new"}, Via: "activation_tool", Asked: []string{"x"}, Loaded: []string{"x"},
	}})
	if read, saved := settle(s, set); read != 1 || saved != 0 {
		t.Errorf("an activation: %d read and %d saved", read, saved)
	}
	set.MinReadShare = 0.5
	if read, _ := settle(s, set); read != requests+1 {
		t.Errorf("other settings: %d read of %d", read, requests+1)
	}
}

func TestALongConversationIsNotReadWholeAgain(t *testing.T) {
	w := newWorld(t)
	set := prefix.DefaultSettings()
	set.MaxConversationRequests = 16
	s := prefix.NewSettler(w, w)
	var all []*events.Event
	for i := range 200 {
		tools, read := []string{"a"}, int64(5_000+100*(i-1))
		if i >= 100 {
			tools = []string{"b"}
		}
		if i == 0 || i == 100 {
			read = 0
		}
		all = append(all, request("c", 10*i, 2*i+1, read, 5_000+100*int64(i)-read, tools...))
	}
	w.come(all[:150]...)
	w.settled(s, set, finding.Window{})
	for _, e := range all[150:] {
		w.come(e)
		w.read = 0
		if _, err := s.Settle(t.Context(), set); err != nil {
			t.Fatal(err)
		}
		if w.read > 24 {
			t.Fatalf("%d requests read for one more", w.read)
		}
	}
	r, _, err := s.Analyze(t.Context(), finding.Window{}, set)
	if err != nil || r.Requests != 200 || r.Verdicts[prefix.OK].Count != 198 || len(r.Conversations[0].Breaks) != 1 || r.Conversations[0].Breaks[0].Request != 101 {
		t.Errorf("%+v, %v", r, err)
	}
	w.come(request("c", 1, 1, 0, 0)) // far back
	w.read = 0
	if r, _, err = s.Analyze(t.Context(), finding.Window{}, set); err != nil || r.Requests != 201 || w.read > 40 {
		t.Errorf("%d requests, %d read, %v", r.Requests, w.read, err)
	}
}

func TestRequestsOfNoConversationAreJudgedInGroups(t *testing.T) {
	w := newWorld(t)
	set := prefix.DefaultSettings()
	set.MaxGroup = 10
	s := prefix.NewSettler(w, w)
	for hour := range 3 {
		for i := range 25 {
			w.come(request("", 3600*hour+i, 1, 5_000, 0))
		}
		if _, err := s.Settle(t.Context(), set); err != nil {
			t.Fatal(err)
		}
	}
	w.come(request("", 30, 1, 5_000, 0))
	w.read = 0
	r, _, err := s.Analyze(t.Context(), finding.Window{}, set)
	if err != nil || r.Requests != 76 || w.read > 40 || w.count("SELECT count() AS n FROM request_verdicts FINAL") != 76 {
		t.Errorf("%d requests, %d read, %v", r.Requests, w.read, err)
	}
	if len(r.Conversations) != 1 || r.Conversations[0].ID != "" || r.Conversations[0].Requests != 76 {
		t.Errorf("conversations %+v", r.Conversations)
	}
}

func TestHostileConversationIDsAreJustIDs(t *testing.T) {
	w := newWorld(t)
	s := prefix.NewSettler(w, w)
	ids := []string{"'", `\`, `\'`, "'); DROP TABLE request_verdicts --", "?", "{columns}", "a\x00b", "\n", "\u202e", strings.Repeat("x", 1000), "%s", "$1", "NULL"}
	for _, id := range ids {
		w.come(request(id, 0, 1, 0, 50_000), request(id, 10, 3, 0, 50_000))
		if _, err := s.Settle(t.Context(), prefix.DefaultSettings()); err != nil {
			t.Fatalf("%q: %v", id, err)
		}
	}
	r := w.settled(s, prefix.DefaultSettings(), finding.Window{})
	if len(r.Conversations) != len(ids) || r.Requests != int64(2*len(ids)) {
		t.Errorf("%d conversations of %d", len(r.Conversations), len(ids))
	}
}

func TestTwoAgentsInOneConversationBreakNothingOfEachOther(t *testing.T) {
	w := newWorld(t)
	s := prefix.NewSettler(w, w)
	a, b := request("c", 0, 1, 0, 50_000), request("c", 10, 3, 0, 50_000)
	b.Data.(*events.RequestPrefix).AgentName = "other"
	w.come(b)
	w.settled(s, prefix.DefaultSettings(), finding.Window{})
	w.come(a)
	r, _, err := s.Analyze(t.Context(), finding.Window{}, prefix.DefaultSettings())
	if err != nil || len(r.Conversations) != 1 || r.Conversations[0].Requests != 2 || r.TokensLost != 0 || len(r.Agents) != 2 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestAWindowOfWhatIsKeptCountsItsOwnRequests(t *testing.T) {
	w := newWorld(t)
	s := prefix.NewSettler(w, w)
	first, second, third := request("c", 0, 1, 0, 50_000), request("c", 10, 3, 0, 50_000), request("c", 20, 5, 0, 50_000)
	w.come(first, second, third)
	for _, c := range []struct {
		name     string
		from, to time.Time
		breaks   int64
	}{
		{"its start is inclusive", second.Time, second.Time.Add(time.Microsecond), 1},
		{"its end is exclusive", second.Time, third.Time, 1},
		{"just after", second.Time.Add(time.Microsecond), third.Time, 0},
		{"the last two", second.Time, time.Time{}, 2},
		{"nothing", third.Time.Add(time.Hour), time.Time{}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			w.t = t
			r := w.settled(s, prefix.DefaultSettings(), finding.Window{From: c.from, To: c.to})
			if r.Requests != c.breaks || r.TokensLost != 50_000*c.breaks || r.Verdicts[prefix.ColdStart] != nil {
				t.Errorf("%d requests, %d tokens, %v", r.Requests, r.TokensLost, verdicts(r))
			}
		})
	}
}

func TestAReportThatKeepsNothingReadsWhatAnotherKept(t *testing.T) {
	all, _ := readSample(t)
	w := newWorld(t)
	w.come(all...)
	if _, err := prefix.NewSettler(w, w).Settle(t.Context(), prefix.DefaultSettings()); err != nil {
		t.Fatal(err)
	}
	w.read = 0
	r, _, err := prefix.Analyze(t.Context(), w, finding.Window{}, prefix.DefaultSettings())
	if err != nil || w.read != 0 || r.Requests == 0 || len(r.Days) == 0 {
		t.Errorf("%d read, %d requests, days %v, %v", w.read, r.Requests, r.Days, err)
	}
}
