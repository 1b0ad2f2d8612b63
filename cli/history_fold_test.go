package cli

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/stream"
)

// changesOf are the revisions of one switch, the newest first, as the buckets and ClickHouse give them.
func changesOf(t *testing.T, switches ...drift.Switch) []events.ToolChange {
	t.Helper()
	var all []events.ToolChange
	for i := range switches {
		switches[i].Tool = "order"
		raw, err := switches[i].Encode()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, readChange(stream.BreakerBucket, stream.Entry{Key: "=.order", Revision: uint64(i + 1), Value: raw, At: time.Unix(int64(i), 0)}))
	}
	return newestFirst(all)
}

func TestTheHistoryTellsWhatChangedForPeopleAndNotWhatTheBreakerNoted(t *testing.T) {
	noon := time.Unix(1e9, 0).UTC()
	const why = "5 validation errors in a row"
	tripped := drift.Switch{State: drift.SwitchDisabled, Since: noon, By: drift.ByBreaker, Reason: why, ProbeAfter: noon.Add(time.Minute)}
	told, probing, failed := tripped, tripped, tripped
	told.Told = true
	probing.State, probing.ProbeBy, probing.ProbeAt = drift.SwitchProbing, "desk-1", noon.Add(2*time.Minute)
	failed.ProbeAfter, failed.Seq = noon.Add(time.Hour), 9
	kept := drift.Switch{State: drift.SwitchEnabled, Since: noon, Until: noon.Add(time.Hour), By: "ada", Reason: "no reason given"}
	alerted, alertTold := kept, kept
	alerted.AlertedAt, alerted.AlertOnly = noon, drift.AlertKept
	alertTold.AlertedAt, alertTold.AlertOnly, alertTold.Told = noon, drift.AlertKept, true
	for name, c := range map[string]struct {
		switches []drift.Switch
		want     []string
	}{
		"a trip":                          {[]drift.Switch{tripped, told}, []string{"disabled by breaker: " + why}},
		"somebody enables it for a while": {[]drift.Switch{kept, alerted, alertTold}, []string{"enabled by ada: no reason given"}},
		"a probe": {[]drift.Switch{tripped, probing, failed}, []string{
			"disabled by breaker: the call that was tried failed; disabled before: " + why,
			"probing by desk-1: tries one call; disabled by breaker: " + why, "disabled by breaker: " + why,
		}},
	} {
		var have []string
		for _, ch := range foldChanges(changesOf(t, c.switches...)) {
			if ch.Document != "" {
				t.Errorf("%s: a document is left", name)
			}
			have = append(have, fmt.Sprintf("%s by %s: %s", ch.Action, ch.ChangedBy, ch.Reason))
		}
		if diff := cmp.Diff(c.want, have); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
