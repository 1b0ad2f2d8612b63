package prefix_test

import (
	"testing"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/prefix"
	"github.com/tooltrail/tooltrail/store/storetest"
)

func TestAConversationIsReadWithWhatHappenedAroundIt(t *testing.T) {
	all, _ := readSample(t)
	db := openStore(t)
	storetest.Insert(t, db, all)
	requests, loads := map[string]int{}, map[string]int{}
	for _, e := range all {
		switch d := e.Data.(type) {
		case *events.RequestPrefix:
			requests[d.ConversationID]++
		case *events.Activation:
			if len(d.Loaded) > 0 {
				loads[d.ConversationID]++
			}
		}
	}
	for id, want := range requests {
		reqs, happenings, err := prefix.ReadConversation(t.Context(), db, id)
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for _, h := range happenings {
			if h.Kind == prefix.HappenedActivation {
				got++
			}
		}
		if len(reqs) != want || got != loads[id] {
			t.Errorf("%s: %d requests and %d activations, want %d and %d", id, len(reqs), got, want, loads[id])
		}
	}
}
