package prefix_test

import (
	"math"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/prefix"
)

// tied are requests that begin at once, some with one request id.
func tied() []*events.Event {
	all := []*events.Event{
		request("c", 0, 1, 0, 50_000), request("c", 60, 3, 50_000, 5_000), request("c", 60, 3, 50_000, 5_000), request("c", 60, 5, 55_000, 5_000),
		request("c", 90, 5, 60_000, 5_000), request("c", 99, 5, 60_000, 5_000),
	}
	for _, e := range all[4:] {
		e.Data.(*events.RequestPrefix).RequestID = "q"
	}
	return all
}

func TestTheStoreHasOneOrderWhateverCameFirst(t *testing.T) {
	all := tied()
	var rec prefix.Recording
	for _, e := range all {
		rec.Add(e)
	}
	conversation := rec.Conversations(100)[0]
	want := map[string]prefix.Verdict{}
	for i, v := range rec.Judge(&conversation, prefix.DefaultSettings()) {
		want[conversation.Requests[i].ID] = v.Verdict
	}
	for _, name := range []string{"backwards", "as they began"} {
		slices.Reverse(all)
		t.Run(name, func(t *testing.T) { comesOut(t, all, want) })
	}
}

// comesOut holds the verdicts on stored requests against those on recorded ones.
func comesOut(t *testing.T, all []*events.Event, want map[string]prefix.Verdict) {
	w := newWorld(t)
	w.come(all...)
	reqs, _, err := prefix.ReadConversation(t.Context(), w, "c")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]prefix.Verdict{}
	for i, v := range prefix.Judge(reqs, prefix.DefaultSettings()) {
		got[reqs[i].ID] = v.Verdict
	}
	if d := gocmp.Diff(want, got); d != "" {
		t.Errorf("verdicts (-recorded +stored):\n%s", d)
	}
	r, _, err := prefix.NewSettler(w, w).Analyze(t.Context(), finding.Window{}, prefix.DefaultSettings())
	if err != nil || r.TokensLost != 0 || r.Requests != 6 {
		t.Errorf("%+v, %v", r, err)
	}
	if d := gocmp.Diff(map[prefix.Verdict]int64{prefix.ColdStart: 1, prefix.OK: 5}, verdicts(r)); d != "" {
		t.Errorf("verdicts (-want +got):\n%s", d)
	}
}

func TestSumsOfTheStoreStayAtTheLargestNumber(t *testing.T) {
	const most = 1<<53 - 1
	var all []*events.Event
	for i := range 2100 { // over 2^64
		all = append(all, request("c", 900*i, 1, 0, most))
	}
	w := newWorld(t)
	w.come(all...)
	set := prefix.DefaultSettings()
	set.MaxConversationRequests = 4000
	r, _, err := prefix.NewSettler(w, w).Analyze(t.Context(), finding.Window{}, set)
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]int64{
		"all": r.TokensLost, "a verdict": r.Verdicts[prefix.TTLExpired].TokensLost, "a conversation": r.Conversations[0].TokensLost,
		"an agent": r.Agents[0].TokensLost, "a saving": r.Savings[0].TokensLost,
	} {
		if got != math.MaxInt64 {
			t.Errorf("%s lost %d", name, got)
		}
	}
}
