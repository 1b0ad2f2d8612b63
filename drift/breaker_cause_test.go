package drift_test

import (
	"testing"
	"time"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
)

func TestACauseThatIsNotTheArgumentsIsKnownByItsName(t *testing.T) {
	for errorType, want := range map[string]bool{
		"timeout": true, "TimeoutError": true, "timed_out": true, "context.DeadlineExceeded": true, "ConnectionResetError": true, "503": true, "http_429": true,
		"rate-limit": true, "asyncio.CancelledError": true, "permission_denied": true,
		"": false, "tool_error": false, "400": false, "422": false, "ValueError": false, "invalid_arguments": false, "99999": false,
	} {
		if got := drift.IsOtherCause(errorType); got != want {
			t.Errorf("%q: %t", errorType, got)
		}
	}
}

func TestATimeoutIsNoValidationErrorThoughTheArgumentsDoNotFit(t *testing.T) {
	for errorType, want := range map[string]bool{"timeout": false, "tool_error": true, "": true} {
		b := drift.NewBreaker(drift.DefaultBreakerSettings())
		var decided bool
		for i := range byte(3) {
			c := drift.BreakerCallOf([16]byte{1 + i}, time.Now(), &events.ToolCall{
				Context: events.Context{ConversationID: "c"}, Server: "shop", ToolName: "cancel_order", Outcome: events.OutcomeExecutionError, ErrorType: errorType,
				ValidationErrors: []events.ValidationError{{Path: "/reason", Keyword: "required"}},
			}, drift.Place{Epoch: "e", Seq: uint64(i) + 1}, time.Now())
			_, d := b.Feed(&c)
			decided = decided || d != nil
		}
		if decided != want {
			t.Errorf("%q: decided %t", errorType, decided)
		}
	}
}
