package prefix

import (
	"slices"
	"strings"
	"testing"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
)

func TestWhatWasNotRecordedComesOutOfTheStore(t *testing.T) {
	unseen := func(parts ...string) func(*events.RequestVerdict) {
		return func(r *events.RequestVerdict) { r.Unseen = parts }
	}
	var v verdicts
	v.add("a", Unattributed, 40_000, unseen("tools", "system"))
	v.add("a", Unattributed, 20_000, unseen("messages"))
	v.add("a", TTLExpired, 5_000, unseen("tools"))
	v.add("a", TTLExpired, 5_000, unpriced)
	r, found, err := analyzeStored(t.Context(), v.stored(t), finding.Window{}, DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	c := r.Conversations[0]
	if got := c.Breaks[0].Unseen; !slices.Equal(got, []string{"tools", "system"}) {
		t.Errorf("unseen %v", got)
	}
	if c.UnpricedBreaks != 1 || r.UnpricedBreaks != 1 || r.Agents[0].UnpricedBreaks != 1 || r.Days[0].UnpricedBreaks != 1 || r.Verdicts[TTLExpired].Unpriced != 1 {
		t.Errorf("without a price: %d of the conversation, %d of all", c.UnpricedBreaks, r.UnpricedBreaks)
	}
	if s := r.Savings[0]; s.Verdict != Unattributed || !slices.Equal(s.Unseen, []string{"tools", "system", "messages"}) || !strings.HasPrefix(s.Fix, "Record tools, system prompt and messages") {
		t.Errorf("saving %+v", s)
	}
	if s := r.Savings[1]; s.Unseen != nil || s.Unpriced != 1 {
		t.Errorf("saving of another verdict %+v", s)
	}
	if !strings.Contains(found[0].Title, "nothing that was seen explains it; tools, system prompt and messages are not in this recording") {
		t.Errorf("finding %+v", found[0])
	}
}

func TestWhatCouldHaveBeenReadComesOutOfTheStore(t *testing.T) {
	usd := 0.5
	keepsChanging := func(could int64, usd *float64) func(*events.RequestVerdict) {
		return func(r *events.RequestVerdict) {
			r.FluxKinds, r.FluxParts, r.FluxNames = []string{"volatile"}, []string{"system"}, []string{"0"}
			r.FluxRequests, r.FluxChanges, r.FluxValues = []int64{6}, []int64{5}, []int64{6}
			r.FluxCouldRead, r.FluxCouldReadUSD = []int64{could}, []*float64{usd}
		}
	}
	var v verdicts
	v.add("some", OK, 0, keepsChanging(9_000, nil))
	v.add("most", OK, 0, keepsChanging(90_000, &usd))
	v.add("none", OK, 0, keepsChanging(0, nil))
	r, found, err := analyzeStored(t.Context(), v.stored(t), finding.Window{}, DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	if x := r.FluxRisks; len(x) != 2 || x[0].Conversation != "most" || x[0].CouldRead != 90_000 || deref(x[0].CouldReadUSD) != usd || x[1].CouldReadUSD != nil {
		t.Errorf("risks %+v", x)
	}
	if len(found) != 3 || found[0].Severity != finding.Warning || found[0].Subject.Conversation != "most" || found[1].Severity != finding.Info {
		t.Errorf("findings %+v", found)
	}
}
