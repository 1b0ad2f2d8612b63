package prefix_test

import (
	"cmp"
	"math"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/events/eventstest"
	"github.com/tooltrail/tooltrail/prefix"
)

func TestTheDearestBreaksOfTheSharedPiSessionAreKnown(t *testing.T) {
	var reqs []prefix.Observed
	for _, e := range readFile(t, eventstest.SharedFile(t, "agent-session-large-session.jsonl")) {
		if r, ok := e.Data.(*events.RequestPrefix); ok {
			reqs = append(reqs, prefix.Observed{ID: e.ID, RequestPrefix: *r})
		}
	}
	type dear struct {
		Request, TokensLost int64
		Verdict             prefix.Verdict
		Secondary           []prefix.Verdict
	}
	judged := prefix.Judge(reqs, prefix.DefaultSettings())
	slices.SortStableFunc(judged, func(a, b prefix.Judged) int { return cmp.Compare(b.TokensLost.N, a.TokensLost.N) })
	var got []dear
	for _, v := range judged[:5] {
		got = append(got, dear{v.Request, v.TokensLost.N, v.Verdict, v.Secondary})
	}
	want := []dear{
		{416, 162_834, prefix.Unattributed, nil}, {393, 154_283, prefix.Unattributed, nil}, {383, 152_941, prefix.Unattributed, nil},
		{372, 149_507, prefix.Unattributed, nil}, {362, 146_797, prefix.Unattributed, nil},
	}
	if d := gocmp.Diff(want, got); d != "" {
		t.Errorf("dearest breaks (-want +got):\n%s", d)
	}
	// Written at 1.25 and read at 0.1 of $3 a million.
	if usd := judged[0].LostUSD; !usd.Known || math.Abs(usd.USD-0.5618) > 0.00005 {
		t.Errorf("the dearest break cost %+v, want $0.5618", usd)
	}
	// A session file shows neither tools nor system, so of secondary reasons it can only show the level of thinking and time.
	also := map[int64][]prefix.Verdict{}
	for _, v := range judged {
		if len(v.Secondary) > 0 {
			also[v.Request] = append([]prefix.Verdict{v.Verdict}, v.Secondary...)
		}
	}
	if d := gocmp.Diff(map[int64][]prefix.Verdict{274: {prefix.OK, prefix.ParamsChanged}}, also); d != "" {
		t.Errorf("secondary reasons (-want +got):\n%s", d)
	}
}
