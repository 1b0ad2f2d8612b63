package capture

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/events/eventstest"
	"github.com/tooltrail/tooltrail/prefix"
)

// readShared reads a file of the shared data to its end and checks that no event of it is too large.
func readShared(t *testing.T, name string) ([]*events.Event, *Reader) {
	t.Helper()
	r, err := Open(eventstest.SharedFile(t, name), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	all := drain(t, r)
	for _, e := range all {
		if _, err := events.AppendEvent(nil, e); err != nil {
			t.Errorf("event %s: %v", e.ID, err)
		}
	}
	return all, r
}

// observe returns the requests among events, a conversation a list.
func observe(all []*events.Event) map[string][]prefix.Observed {
	reqs := map[string][]prefix.Observed{}
	for _, e := range all {
		if r, ok := e.Data.(*events.RequestPrefix); ok {
			reqs[r.ConversationID] = append(reqs[r.ConversationID], prefix.Observed{ID: e.ID, RequestPrefix: *r})
		}
	}
	return reqs
}

func TestTheSharedPiSessionComesOutAsKnown(t *testing.T) {
	all, r := readShared(t, "agent-session-large-session.jsonl")
	if r.Format() != "pi" || r.src.problems != 0 {
		t.Errorf("read as %s with %d problems, want pi and 0", r.Format(), r.src.problems)
	}
	byConversation := observe(all)
	if len(byConversation) != 1 {
		t.Fatalf("%d conversations, want 1", len(byConversation))
	}
	for _, reqs := range byConversation {
		checkPiVerdicts(t, reqs, prefix.Judge(reqs, prefix.DefaultSettings()))
	}
	made := 0
	for _, e := range all {
		if c, ok := e.Data.(*events.ToolCall); ok {
			made += len(c.MadeUpIDs)
		}
	}
	if made > 0 {
		t.Errorf("%d made-up ids in a coding session, want none", made)
	}
}

func checkPiVerdicts(t *testing.T, reqs []prefix.Observed, judged []prefix.Judged) {
	t.Helper()
	counts, lost := map[prefix.Verdict]int{}, map[prefix.Verdict]int64{}
	var stated, ours, lostUSD float64
	backwards := 0
	var dearest []int64
	byRequest := map[int64]prefix.Judged{}
	for i, j := range judged {
		counts[j.Verdict]++
		lost[j.Verdict] += j.TokensLost.N
		stated += reqs[i].StatedCostUSD.USD
		ours += j.CostUSD.USD
		lostUSD += j.LostUSD.USD
		if j.ClockBackwards {
			backwards++
		}
		dearest = append(dearest, j.TokensLost.N)
		byRequest[j.Request] = j
	}
	want := map[prefix.Verdict]int{
		prefix.NoUsage: 14, prefix.ColdStart: 1, prefix.OK: 401, prefix.TTLExpired: 4, prefix.ParamsChanged: 4, prefix.Unattributed: 29,
	}
	if d := cmp.Diff(want, counts); d != "" {
		t.Errorf("verdicts (-want +got):\n%s", d)
	}
	if lost[prefix.TTLExpired] != 279_336 || lost[prefix.ParamsChanged] != 467_348 || lost[prefix.Unattributed] != 3_373_076 {
		t.Errorf("tokens lost %v", lost)
	}
	if math.Abs(stated-30.33) > 0.005 || math.Abs(ours-stated) > 0.005 || backwards != 1 {
		t.Errorf("stated $%.4f, by our table $%.4f, %d clocks backwards; want $30.33, the same, 1", stated, ours, backwards)
	}
	slices.Sort(dearest)
	slices.Reverse(dearest)
	if d := cmp.Diff([]int64{162_834, 154_283, 152_941, 149_507, 146_797}, dearest[:5]); d != "" {
		t.Errorf("dearest breaks (-want +got):\n%s", d)
	}
	if b := byRequest[416]; b.TokensLost.N != 162_834 || math.Abs(b.LostUSD.USD-0.5618) > 0.00005 {
		t.Errorf("request 416 lost %d tokens and $%.4f, want 162834 and $0.5618", b.TokensLost.N, b.LostUSD.USD)
	}
	if b := byRequest[1]; b.Verdict != prefix.NoUsage || byRequest[2].Verdict != prefix.ColdStart {
		t.Errorf("first turns are %s and %s, want no_usage and cold_start", b.Verdict, byRequest[2].Verdict)
	}
	t.Logf("lost $%.4f of $%.2f", lostUSD, ours)
}
