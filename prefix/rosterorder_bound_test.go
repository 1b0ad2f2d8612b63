package prefix_test

import (
	"fmt"
	"testing"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/prefix"
	"github.com/tooltrail/tooltrail/store/storetest"
)

func TestRequestsThatWereNotSearchedForOrdersAreCounted(t *testing.T) {
	const beyond = 5
	var all []*events.Event
	for i := range prefix.MaxOrderRequests + beyond {
		p := &events.RequestPrefix{
			Context: events.Context{ConversationID: fmt.Sprintf("c%06d", i), AgentName: "agent"}, ToolsKnown: true,
			Tools:  []events.PrefixTool{{Name: "A", Digest: events.Digester{}.Short([]byte("a"))}},
			Status: events.StatusOK, StartTime: rosterStart,
		}
		all = append(all, &events.Event{ID: fmt.Sprintf("018f0000-0000-7000-8000-%012d", i), Source: "test", Time: rosterStart, Data: p})
	}
	for want, events := range map[int64][]*events.Event{0: all[:9], beyond: all} {
		t.Run(fmt.Sprint(want), func(t *testing.T) {
			db := openStore(t)
			storetest.Insert(t, db, events)
			r, _, err := prefix.Analyze(t.Context(), db, finding.Window{}, prefix.DefaultSettings())
			if err != nil || r.OrdersUnsearched != want {
				t.Errorf("%d were not searched, want %d; %v", r.OrdersUnsearched, want, err)
			}
		})
	}
}
