package drift_test

import (
	"fmt"
	"time"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
)

func ExampleBreaker_Feed() {
	b := drift.NewBreaker(drift.DefaultBreakerSettings())
	for n := range uint64(3) {
		call := drift.BreakerCall{
			ID: [16]byte{15: byte(n)}, Tool: drift.Key{Server: "shop", Tool: "order"}, Version: "v2", Outcome: events.OutcomeValidationError,
			Place: drift.Place{Epoch: "1", Seq: n + 1}, Stored: time.Date(2026, 3, 1, 12, 0, int(n), 0, time.UTC),
		}
		_, decision := b.Feed(&call)
		if decision == nil {
			fmt.Println("call", n+1, "decides nothing")
			continue
		}
		now := decision.Apply(nil, nil)
		b.SetSwitch(decision.Key, now)
		fmt.Println(now.Message())
	}
	// Output:
	// call 1 decides nothing
	// call 2 decides nothing
	// shop/order is disabled: 3 validation errors in a row, since 2026-03-01T12:00:02Z. It exists and is loaded; do not call it again until it is enabled.
}
